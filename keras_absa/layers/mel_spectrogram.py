"""Sound as frames of a mel spectrogram.

Shapes: B batch, S samples, W samples of a window, K frequencies, M mel bins, T frames.
"""

import tensorflow as tf

from keras_absa.keras import keras


@keras.utils.register_keras_serializable(package="keras_absa")
class MelSpectrogram(keras.layers.Layer):
    """Turns a waveform into the frames that an audio branch reads; without weights.

    A frame is the magnitude of the Fourier transform of a Hann window (`tf.signal.stft`), summed up by triangles that are
    equally spaced on the mel scale (HTK's, 2595 log10(1 + f / 700)), in decibels, from -`floor_db` to 0 below `top_db`, scaled
    to 0 to 1. Every `keep_every`-th frame is kept. A frame without a sample other than 0 is all 0, and counts as padding; all
    other frames are above 0.

    Args:
        sample_rate: Int, samples a second. Defaults to 16,000.
        num_mels: Int, M. Defaults to 80.
        window_seconds: Float, length of a window. Defaults to 0.05.
        hop_seconds: Float, from one window to the next. Defaults to 0.0125.
        keep_every: Int, of so many frames the first is kept; 16 gives one in 0.2 seconds. Defaults to 16.
        lowest, highest: Floats, the range of the mel bins in hertz; the highest at most half the sample rate. Default to 0 and
            None, half the sample rate.
        top_db: Float, decibels of a magnitude that is scaled to 1. Defaults to 20.
        floor_db: Float, how far below `top_db` the scale reaches. Defaults to 100.
        **kwargs: Passed to `keras.layers.Layer` (`name`).

    Call arguments:
        inputs: Float [B, S], samples between -1 and 1.

    Returns:
        Float32 [B, T, M] with T = `frames(S)`.

    Raises:
        ValueError: If a setting is out of range, or the input has another rank.

    Example:
        >>> layer = MelSpectrogram(sample_rate=8000, num_mels=20)
        >>> layer(tf.ones([1, 8000])).shape, layer.samples(5)
        (TensorShape([1, 5, 20]), 8000)

    Reference:
        The settings of the `dc_tts` recipe (50 ms, 12.5 ms, 80 bins, 20 and 100 dB), to which the authors of TBJE refer; their
        extraction script is not public, and its sample rate is not known.
    """

    def __init__(
        self,
        sample_rate: int = 16_000,
        num_mels: int = 80,
        window_seconds: float = 0.05,
        hop_seconds: float = 0.0125,
        keep_every: int = 16,
        lowest: float = 0.0,
        highest: float | None = None,
        top_db: float = 20.0,
        floor_db: float = 100.0,
        **kwargs,
    ):
        kwargs = {key: value for key, value in kwargs.items() if key not in ("dtype", "trainable")}
        super().__init__(dtype="float32", trainable=False, **kwargs)  # decibels need its range
        self.sample_rate = sample_rate
        self.num_mels = num_mels
        self.window_seconds = window_seconds
        self.hop_seconds = hop_seconds
        self.keep_every = keep_every
        self.lowest = lowest
        self.highest = highest
        self.top_db = top_db
        self.floor_db = floor_db
        self.window = round(window_seconds * sample_rate)
        self.hop = round(hop_seconds * sample_rate)
        top = sample_rate / 2 if highest is None else highest
        if (
            min(self.window, self.hop, num_mels, keep_every) < 1
            or not 0 <= lowest < top <= sample_rate / 2
            or floor_db <= 0
        ):
            raise ValueError(
                f"Windows, hops and bins must be at least 1, and 0 <= lowest < highest <= {sample_rate / 2}: received "
                f"{self.window} and {self.hop} samples, {num_mels} bins, {lowest} to {top} hertz. Correct the settings."
            )
        size = 1
        while size < self.window:
            size *= 2
        self.fft_length = size
        with tf.init_scope():
            self.triangles = tf.signal.linear_to_mel_weight_matrix(
                num_mels, size // 2 + 1, sample_rate, lowest, top
            ).numpy()

    def frames(self, samples: int) -> int:
        """T of a waveform of so many samples; the last frames are filled up with zeros."""
        return -(-samples // (self.hop * self.keep_every))

    def samples(self, frames: int) -> int:
        """How many samples so many frames are made of."""
        return frames * self.hop * self.keep_every

    def call(self, inputs):
        if inputs.shape.rank != 2:
            raise ValueError(f"`inputs` must be waveforms [B, S]: received shape {inputs.shape}. Leave out channels.")
        waveform = tf.cast(inputs, tf.float32)
        step = self.hop * self.keep_every
        count = -(-tf.shape(waveform)[1] // step)
        missing = tf.maximum((count - 1) * step + self.window - tf.shape(waveform)[1], 0)
        waveform = tf.pad(waveform, [[0, 0], [0, missing]])
        windows = tf.signal.frame(waveform, self.window, step)[:, :count]  # [B, T, W]
        shaped = tf.pad(
            windows * tf.signal.hann_window(self.window), [[0, 0], [0, 0], [0, self.fft_length - self.window]]
        )
        spectrum = tf.abs(tf.signal.rfft(shaped))  # [B, T, K]
        magnitudes = tf.matmul(spectrum, self.triangles)  # [B, T, M]
        decibels = 20.0 / tf.math.log(10.0) * tf.math.log(tf.maximum(magnitudes, 1e-5))
        scaled = tf.clip_by_value((decibels - self.top_db + self.floor_db) / self.floor_db, 1e-8, 1.0)
        heard = tf.reduce_any(windows != 0, axis=-1, keepdims=True)  # [B, T, 1]
        length = None if inputs.shape[1] is None else self.frames(inputs.shape[1])
        return tf.ensure_shape(tf.where(heard, scaled, 0.0), [None, length, self.num_mels])

    def compute_output_shape(self, input_shape):
        length = None if input_shape[1] is None else self.frames(input_shape[1])
        return tf.TensorShape([input_shape[0], length, self.num_mels])

    def get_config(self):
        names = ("sample_rate", "num_mels", "window_seconds", "hop_seconds", "keep_every")
        names += ("lowest", "highest", "top_db", "floor_db")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
