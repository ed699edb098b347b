"""Examples together with how they are drawn: what `fit` and `evaluate` take."""

from collections.abc import Sequence

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask

SAMPLERS = ("balanced", "shuffle", "none")


class AspectDataset(Sequence):
    """A list of `AspectExample` with its task, batch size, sampler and seed.

    It holds strings only; the model that it is given to encodes them in `tf.data`.

    Args:
        examples: A list of `AspectExample`.
        task: The `AspectTask` that they belong to.
        batch_size: Int. Defaults to 24 (the paper's).
        sampler: How `fit` draws an epoch: `"balanced"`, with replacement, each class equally likely (the public
            QACG-BERT code); `"shuffle"`, each example once; `"none"`, in order. Defaults to `"balanced"`.
        seed: Int; the same seed draws the same batches. Defaults to 0.
        split: `"train"`, `"dev"`, `"test"` or `""`. Models are not selected on a test split.

    Raises:
        ValueError: If there is no example, an argument is out of range, or an example does not belong to the task.

    Example:
        >>> from keras_absa.data import restaurants
        >>> rows = [AspectExample("Cold soup.", "food", "negative")]
        >>> len(AspectDataset(rows, restaurants(), batch_size=8))
        1
    """

    def __init__(
        self,
        examples: list[AspectExample],
        task: AspectTask,
        *,
        batch_size: int = 24,
        sampler: str = "balanced",
        seed: int = 0,
        split: str = "",
    ):
        examples = list(examples)
        if not examples:
            raise ValueError(
                "`examples` must not be empty: received none. Check the file or the split that they come from."
            )
        for index, example in enumerate(examples):
            if not isinstance(example, AspectExample):
                raise ValueError(
                    f"`examples` must be AspectExample: received {type(example).__name__} at {index}. Read files with "
                    "keras_absa.data.load, or make the rows with AspectExample(text, aspect, label)."
                )
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"`batch_size` must be a positive number: received {batch_size!r}. The paper uses 24.")
        if sampler not in SAMPLERS:
            raise ValueError(f"`sampler` must be one of {list(SAMPLERS)}: received {sampler!r}. Pick one of them.")
        self.examples = examples
        self.task = task
        self.batch_size = batch_size
        self.sampler = sampler
        self.seed = seed
        self.split = split

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        return self.examples[index]
