"""GPUs, where there are any."""

import tensorflow as tf


def grow_gpu_memory() -> int:
    """Lets TensorFlow take GPU memory as it needs it, instead of all at once; call it before anything runs on a GPU.

    Returns:
        How many GPUs there are.

    Raises:
        RuntimeError: If a GPU is in use already, with what to do.

    Example:
        >>> grow_gpu_memory() >= 0
        True
    """
    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        try:
            tf.config.experimental.set_memory_growth(gpu, True)
        except RuntimeError as error:
            raise RuntimeError(
                f"Memory growth must be set before {gpu.name} is used: it is in use. Call `grow_gpu_memory` first."
            ) from error
    return len(gpus)
