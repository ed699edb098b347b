"""One block of the joint encoder: every modality is read, and the first one guides the others.

Shapes: B batch, T tokens of a modality, D width.
"""

from collections.abc import Sequence

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.glimpse import Glimpse
from keras_absa.layers.guided_attention_unit import GuidedAttentionUnit
from keras_absa.layers.joint_parts import built, normalization, weights_of
from keras_absa.layers.self_attention_unit import SelfAttentionUnit
from keras_absa.layers.self_guided_attention_unit import SelfGuidedAttentionUnit

# For each form of co-attention the unit of the first modality, that of the others, and their names.
CO_ATTENTION = {
    "id_ga": (None, GuidedAttentionUnit, "ga"),
    "sa_ga": (SelfAttentionUnit, GuidedAttentionUnit, "ga"),
    "sa_sga": (SelfAttentionUnit, SelfGuidedAttentionUnit, "sga"),
}
GUIDES = ("input", "sa_output")


@keras.utils.register_keras_serializable(package="keras_absa")
class JointEncoderBlock(keras.layers.Layer):
    """Encodes one or more sequences together; the first one is the guide.

    Args:
        lengths: Ints, the length of each modality; its glimpses are as many, so that they can be added to it.
        num_heads: Int; divides D.
        inner_units: Int, inner width of all networks.
        co_attention: `"id_ga"`, the guide stays as it is and the others look at it alone; `"sa_ga"`, the guide looks at itself,
            the others at it alone; `"sa_sga"`, the others look at themselves first. Defaults to `"sa_sga"`, the public code's.
        glimpse: Bool, add glimpses at the end; the last block of a stack does not. Defaults to True.
        guide: What guides: `"input"`, the block's input, as the public code, or `"sa_output"`, the guide after its own unit, as
            the paper draws it. Defaults to `"input"`.
        unit_residual: Bool, add a unit's input to its output once more, as the public code. Defaults to True.
        norm: `"unbiased"`, as the public code, or `"standard"`. Defaults to `"unbiased"`.
        glimpse_masks: Ints, for each modality whose mask its glimpse gets; `(0, 1, 1)` is what the released three-modality
            code does. Defaults to None, its own.
        dropout: Float, rate inside units and glimpses, and on glimpses. Defaults to 0.
        modalities: Strings, their names. Defaults to None: lang, audio, video, then branch3 and so on.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: A list of floats [B, T, D], one a modality.
        masks: A list of bools or 0/1 [B, T], true for real positions, with None where all are. Defaults to None, all real.
        training: Bool, switches dropout on.
        return_attention: Bool, also return the glimpses' weights, a list of float32 [B, T, T]. Defaults to False.

    Returns:
        A list of floats [B, T, D].

    Raises:
        ValueError: If a choice is unknown, a number does not fit, or a sequence has not the length it was built for.

    Example:
        >>> block = JointEncoderBlock(lengths=(3, 5), num_heads=2, inner_units=16)
        >>> [each.shape[1] for each in block([tf.ones([1, 3, 8]), tf.ones([1, 5, 8])])]
        [3, 5]

    Reference:
        Delbrouck et al. 2020, "A Transformer-based joint-encoding for Emotion Recognition and Sentiment Analysis", section 3.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        num_heads: int,
        inner_units: int,
        *,
        co_attention: str = "sa_sga",
        glimpse: bool = True,
        guide: str = "input",
        unit_residual: bool = True,
        norm: str = "unbiased",
        glimpse_masks: Sequence[int] | None = None,
        dropout: float = 0.0,
        modalities: Sequence[str] | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.lengths = tuple(lengths)
        count = len(self.lengths)
        for name, value, known in (("co_attention", co_attention, CO_ATTENTION), ("guide", guide, GUIDES)):
            if value not in known:
                raise ValueError(f"`{name}` must be one of {list(known)}: received {value!r}. Pick one of them.")
        usual = [*("lang", "audio", "video")[:count], *(f"branch{place}" for place in range(3, count))]
        self.modalities = tuple(usual if modalities is None else modalities)
        self.glimpse_masks = tuple(range(count) if glimpse_masks is None else glimpse_masks)
        if not len(set(self.modalities)) == len(self.glimpse_masks) == count or not set(self.glimpse_masks) <= set(
            range(count)
        ):
            raise ValueError(
                f"`modalities` and `glimpse_masks` must have one entry for each of {count} lengths: received "
                f"{list(self.modalities)} and {list(self.glimpse_masks)}. Correct them."
            )
        self.num_heads = num_heads
        self.inner_units = inner_units
        self.co_attention = co_attention
        self.glimpse = glimpse
        self.guide = guide
        self.unit_residual = unit_residual
        self.norm = norm
        self.dropout = dropout

        own = {"dropout": dropout, "dtype": self.dtype_policy}
        first, other, short = CO_ATTENTION[co_attention]
        units = [(first, "sa"), *[(other, short)] * (count - 1)]
        self.units = [
            unit and unit(num_heads, inner_units, norm=norm, name=f"{prefix}_{name}", **own)
            for (unit, prefix), name in zip(units, self.modalities, strict=True)
        ]
        self.glimpses, self.norms = [], []
        if glimpse:
            for name, length in zip(self.modalities, self.lengths, strict=True):
                self.glimpses.append(Glimpse(length, inner_units, name=f"glimpse_{name}", **own))
                self.norms.append(normalization(self, norm, f"norm_{name}"))
        self.glimpse_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape):
        width = int(input_shape[0][-1])
        for part in (*self.units, *self.glimpses, *self.norms):
            if part is not None:
                built(part, width)
        super().build(input_shape)

    def call(self, inputs, masks=None, training=False, return_attention=False):
        masks = [None] * len(inputs) if masks is None else masks
        self._check(inputs)
        guide = inputs[0]
        states = []
        for place, (unit, each) in enumerate(zip(self.units, inputs, strict=True)):
            if unit is None:
                states.append(each)
                continue
            arguments = {"training": training}
            if not isinstance(unit, GuidedAttentionUnit):
                arguments["mask"] = masks[place]
            if place > 0:
                arguments |= {"guide": guide, "guide_mask": masks[0]}
            found = unit(each, **arguments)
            if place == 0 and self.guide == "sa_output":
                guide = found
            states.append(found + each if self.unit_residual else found)
        weights = []
        for place, (glimpse, norm) in enumerate(zip(self.glimpses, self.norms, strict=True)):
            mask = masks[self.glimpse_masks[place]]
            found, attention = glimpse(states[place], mask=mask, training=training, return_attention=True)
            states[place] = norm(states[place] + self.glimpse_dropout(found, training=training))
            weights.append(attention)
        return (states, weights) if return_attention else states

    def _check(self, inputs):
        received = [each.shape[1] for each in inputs]
        wrong = len(received) != len(self.lengths) or any(
            length not in (None, own) for length, own in zip(received, self.lengths)
        )
        if wrong:
            raise ValueError(
                f"{self.name} was built for {len(self.lengths)} sequences of the lengths {list(self.lengths)}, on which its "
                f"glimpses depend: received {received}. Pad or cut them."
            )

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        parts = [part for part in (*self.units, *self.glimpses, *self.norms) if part is not None]
        return weights_of(self, {part.name: part for part in parts})

    def get_config(self):
        names = ("num_heads", "inner_units", "co_attention", "glimpse", "guide", "unit_residual", "norm", "dropout")
        lists = ("lengths", "glimpse_masks", "modalities")
        own = {name: getattr(self, name) for name in names} | {name: list(getattr(self, name)) for name in lists}
        return {**super().get_config(), **own}
