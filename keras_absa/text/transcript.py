"""Transcripts of speech, written as the public code of TBJE counts their words."""

import tensorflow as tf

from keras_absa.text.inputs import as_strings


@tf.autograph.experimental.do_not_convert
def spoken_words(strings) -> tf.Tensor:
    """Texts in lower case, without `. , ' ! ? " ( ) * # : ;`, and with a blank for each `-` and `/`.

    Args:
        strings: Texts, list or string tensor [B].

    Returns:
        String tensor [B].

    Example:
        >>> spoken_words(["It's well-made, isn't it?"]).numpy()[0]
        b'its well made isnt it'

    Reference:
        Delbrouck et al. 2020, public code.
    """
    strings = tf.strings.lower(as_strings(strings), encoding="utf-8")
    strings = tf.strings.regex_replace(strings, "[-/]", " ")
    return tf.strings.regex_replace(strings, "[.,'!?\"()*#:;]", "")
