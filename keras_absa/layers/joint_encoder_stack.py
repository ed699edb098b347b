"""The joint encoder from the states of its modalities to logits.

Shapes: B batch, T tokens of a modality, D width, C outputs.
"""

from collections.abc import Sequence

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.glimpse import Glimpse
from keras_absa.layers.joint_encoder_block import JointEncoderBlock
from keras_absa.layers.joint_parts import built, dense, normalization, weights_of

MASK_BLOCKS = ("first", "all")


@keras.utils.register_keras_serializable(package="keras_absa")
class JointEncoderStack(keras.layers.Layer):
    """Blocks of joint encoding, one glimpse of each modality, and a classifier of their sum.

    Args:
        lengths: Ints, the length of each modality, the guide first.
        outputs: Int, C.
        num_heads: Int; divides D. Defaults to 4.
        inner_units: Int, inner width of all networks. Defaults to 1024.
        num_blocks: Int. Defaults to 4.
        mask_blocks: `"first"`, padding is masked in the first block only, as in the public code, so that it reaches the
            answer through the later ones; `"all"`, in every block and in the final glimpses. Defaults to `"first"`.
        head_dropout: Float, rate before the classifier. Defaults to 0.
        dropout: Float, rate inside blocks and glimpses. Defaults to 0.1.
        co_attention, guide, unit_residual, norm, glimpse_masks, modalities: See `JointEncoderBlock`.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: A list of floats [B, T, D], one a modality.
        masks: A list of bools or 0/1 [B, T], true for real positions, with None where all are. Defaults to None, all real.
        training: Bool, switches dropout on.
        return_attention: Bool, also return the weights of the glimpses: a list of one list a block, and the last of the
            final ones, of float32 [B, T, T] and [B, 1, T]. Defaults to False.

    Returns:
        Logits, float32 [B, C].

    Raises:
        ValueError: If a choice is unknown, a number does not fit, or a sequence has not the length it was built for.

    Example:
        >>> stack = JointEncoderStack(lengths=(3, 5), outputs=6, num_heads=2, inner_units=16, num_blocks=2)
        >>> stack([tf.ones([1, 3, 8]), tf.ones([1, 5, 8])]).shape
        TensorShape([1, 6])

    Reference:
        Delbrouck et al. 2020, "A Transformer-based joint-encoding for Emotion Recognition and Sentiment Analysis"; the dense maps
        to twice the width, and where masks reach, are the public code's.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        outputs: int,
        *,
        num_heads: int = 4,
        inner_units: int = 1024,
        num_blocks: int = 4,
        mask_blocks: str = "first",
        head_dropout: float = 0.0,
        dropout: float = 0.1,
        co_attention: str = "sa_sga",
        guide: str = "input",
        unit_residual: bool = True,
        norm: str = "unbiased",
        glimpse_masks: Sequence[int] | None = None,
        modalities: Sequence[str] | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if mask_blocks not in MASK_BLOCKS:
            raise ValueError(
                f"`mask_blocks` must be one of {list(MASK_BLOCKS)}: received {mask_blocks!r}. Pick one of them."
            )
        for name, value in (("outputs", outputs), ("num_blocks", num_blocks)):
            if value < 1:
                raise ValueError(f"`{name}` must be at least 1: received {value!r}. Raise it.")
        self.outputs = outputs
        self.num_blocks = num_blocks
        self.mask_blocks = mask_blocks
        self.head_dropout = head_dropout
        forms = {"co_attention": co_attention, "guide": guide, "unit_residual": unit_residual, "norm": norm}
        self.block_config = {
            "lengths": tuple(lengths),
            "num_heads": num_heads,
            "inner_units": inner_units,
            "dropout": dropout,
            "glimpse_masks": glimpse_masks and tuple(glimpse_masks),
            "modalities": modalities and tuple(modalities),
            **forms,
        }
        own = {"dtype": self.dtype_policy}
        self.blocks = [
            # Behind the last block a single glimpse follows instead of as many as positions.
            JointEncoderBlock(**self.block_config, glimpse=place < num_blocks - 1, name=f"block{place}", **own)
            for place in range(num_blocks)
        ]
        self.modalities = self.blocks[0].modalities
        self.proj_norm = normalization(self, norm, "proj_norm")
        self.proj = dense(self, outputs, "proj")
        self.before_head = keras.layers.Dropout(head_dropout, **own)

    def build(self, input_shape):
        width, config = int(input_shape[0][-1]), self.block_config
        for block in self.blocks:
            with tf.name_scope(block.name):
                block.build(input_shape)
        self.flats = [
            Glimpse(
                1, config["inner_units"], 2 * width, config["dropout"], name=f"flat_{name}", dtype=self.dtype_policy
            )
            for name in self.modalities
        ]
        for flat in self.flats:
            built(flat, width)
        for part in (self.proj_norm, self.proj):
            built(part, 2 * width)
        super().build(input_shape)

    def call(self, inputs, masks=None, training=False, return_attention=False):
        masks = [None] * len(inputs) if masks is None else masks
        unmasked = [None] * len(inputs)
        states, weights = list(inputs), []
        for place, block in enumerate(self.blocks):
            own = masks if place == 0 or self.mask_blocks == "all" else unmasked
            states, found = block(states, masks=own, training=training, return_attention=True)
            weights.append(found)
        own = masks if self.mask_blocks == "all" else unmasked
        finals = [
            flat(each, mask=mask, training=training, return_attention=True)
            for flat, each, mask in zip(self.flats, states, own, strict=True)
        ]
        weights.append([found for _, found in finals])
        vector = self.proj_norm(tf.add_n([each for each, _ in finals]))  # [B, 2 D]
        logits = tf.cast(self.proj(self.before_head(vector, training=training)), tf.float32)  # [B, C]
        return (logits, weights) if return_attention else logits

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        parts = (*self.blocks, *self.flats, self.proj_norm, self.proj)
        return weights_of(self, {part.name: part for part in parts})

    def get_config(self):
        own = {name: getattr(self, name) for name in ("outputs", "num_blocks", "mask_blocks", "head_dropout")}
        return {**super().get_config(), **own, **self.block_config}
