"""A BERT with slots: layers that replace its attention plug into HuggingFace's `TFBertModel`.

Shapes: B batch, T tokens, Q tokens that a layer computes, D width, L encoder layers, K contexts.
"""

from collections.abc import Mapping
from pathlib import Path

import tensorflow as tf
from transformers import BertConfig, TFBertModel

from keras_absa.keras import keras
from keras_absa.layers.context_matrix import ContextMatrix
from keras_absa.layers.joint_parts import built
from keras_absa.layers.knowledge_attention import KnowledgeAttention
from keras_absa.models.backbone import load_bert
from keras_absa.models.pooling_tokens import pooled_tokens
from keras_absa.models.pretrained_folder import read_plugs, read_settings, weights_by_name, write_pretrained
from keras_absa.models.slot_checks import (
    candidates_of,
    check_attention,
    check_bert,
    check_pooling,
    checked_inputs,
    checked_knowledge,
    checked_layers,
)

MASK_VALUE = -10000.0  # what TFBertModel adds to the scores of padded keys


@keras.utils.register_keras_serializable(package="keras_absa")
class SlottedBert(keras.Model):
    """Drives the sublayers of a `TFBertModel` and puts plugs where its own attention would be.

    The pretrained weights stay inside the `TFBertModel`; the plugs own the new ones. Without a plug the outputs equal
    `TFBertModel`'s.

    Args:
        bert: A `transformers.TFBertModel`.
        attention: A layer called as `attention(query, key, value, context=, mask=, training=)`, for example
            `keras_absa.layers.QuasiAttention`. It is a pattern: each guided layer gets a copy of it, made with
            `from_config`. Defaults to None, BERT's own attention.
        num_contexts: Int, rows of the context table. Needed with `attention`.
        guided_layers: Ints, the encoder layers (counted from 0) that get the plug. Defaults to None, all.
        share_context_dense: Bool, one `ContextMatrix` for all guided layers, as the paper's formula is written,
            instead of one each. Defaults to False.
        context_init_std: Float, standard deviation of the new context weights' initial values. Defaults to 0.02.
        knowledge: Encoder layer (counted from 0) to the `keras_absa.layers.KnowledgeAttention` after it. Each has the name of
            its knowledge base, with which its inputs begin. Defaults to None.
        pooling: A layer called as `pooling(hidden, mask=, training=)` that gives a vector and what it looked at, for example
            `keras_absa.layers.StructuredSelfAttention` or `MeanPooling`; the encoder uses a copy of it. One of your own has
            the setting `return_attention` and the attribute `output_dim`. Defaults to None, BERT's own pooler.
        pooling_tokens: Which tokens it looks at: `"all"` real ones, `"words"` (no [CLS], no [SEP]) or
            `"first_segment_words"`. Defaults to `"all"`.
        **kwargs: Passed to `keras.Model` (`name`).

    Call arguments:
        inputs: A dict of `input_ids` int32 [B, T]; optional `attention_mask` and `token_type_ids` int32 [B, T]
            (defaults: all ones, all zeros); `context_ids` int32 [B], needed with `attention`; for each knowledge base the
            `candidates` of its layer, as `<name>_spans`, `<name>_entities` and so on.
        training: Bool, switches dropout on.
        return_attention: Bool, also return what the plugs give for plotting. Defaults to False.
        return_hidden_states: Bool, also return all hidden states. Defaults to False.
        return_links: Bool, also return what the knowledge attentions linked. Defaults to False.
        first_token_only: Bool, the last layer computes the first token alone: the same numbers with less work, for
            readers of `pooled` or of [CLS]; without effect where a plug pools or reads the last layer. Defaults to False.

    Returns:
        A dict: `last_hidden_state` [B, T, D] ([B, 1, D] with `first_token_only`) and `pooled` [B, `pooled_width`]; on request
        `attention`, a dict from the layer's number to a dict of arrays, with a `pooling` plug `annotation`, float32 [B, R, T],
        and `hidden_states`, the embeddings' output followed by each layer's and each knowledge attention's; `links`, a dict
        from a knowledge base's name to its layer's dict.

    Raises:
        ValueError: If slots and arguments do not fit each other, or an input is missing.

    Example:
        >>> from transformers import BertConfig, TFBertModel
        >>> from keras_absa.layers import QuasiAttention
        >>> bert = TFBertModel(BertConfig(vocab_size=50, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
        ...                               intermediate_size=48))
        >>> encoder = SlottedBert(bert, attention=QuasiAttention(num_heads=3), num_contexts=8)
        >>> encoder({"input_ids": tf.ones([2, 5], tf.int32), "context_ids": tf.constant([0, 7])})["pooled"].shape
        TensorShape([2, 24])

    Reference:
        Devlin et al. 2019 for the encoder; Wu and Ong 2021, section 3.6, for the context table and matrices; Peters et al.
        2019, section 3.3, for where knowledge comes in.
    """

    bases = ()  # a `KnowBert` has some

    def __init__(
        self,
        bert: TFBertModel,
        *,
        attention: keras.layers.Layer | None = None,
        num_contexts: int | None = None,
        guided_layers: tuple[int, ...] | None = None,
        share_context_dense: bool = False,
        context_init_std: float = 0.02,
        knowledge: Mapping[int, KnowledgeAttention] | None = None,
        pooling: keras.layers.Layer | None = None,
        pooling_tokens: str = "all",
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_bert(bert)
        self.num_layers = bert.config.num_hidden_layers
        self.num_contexts = num_contexts
        self.guided_layers = checked_layers(guided_layers, self.num_layers) if attention is not None else ()
        self.share_context_dense = share_context_dense
        self.context_init_std = context_init_std
        self.bert = bert
        if not bert.built:
            bert.build_in_name_scope()
        self.load_report = None

        self.context_embedding = None
        self.context_matrices, self.plugs = {}, {}
        if attention is not None:
            check_attention(attention, num_contexts, bert.config.num_attention_heads)
            self._plug_in(attention)
        # Keys are strings because Keras tracks dicts of layers by name.
        self.knowledge = checked_knowledge(knowledge, self.num_layers)
        for layer in self.knowledge.values():
            built(layer, bert.config.hidden_size)
        self.pooling, self.pooling_tokens = None, pooling_tokens
        self.pooled_width = bert.config.hidden_size
        if pooling is not None:
            check_pooling(pooling, pooling_tokens)
            config = {**pooling.get_config(), "name": "pooling", "return_attention": True}
            self.pooling = type(pooling).from_config(config)
            self.pooling.build(tf.TensorShape([None, None, bert.config.hidden_size]))
            self.pooled_width = self.pooling.output_dim
            if bert.bert.pooler is not None:
                bert.bert.pooler.trainable = False  # nothing reads it
        self.build()

    def _plug_in(self, attention):
        width = self.bert.config.hidden_size
        self.attention_config = keras.layers.serialize(attention)
        self.context_embedding = keras.layers.Embedding(
            self.num_contexts,
            width,
            embeddings_initializer=keras.initializers.RandomNormal(stddev=self.context_init_std),
            name="context_embedding",
        )
        self.context_embedding.build(None)
        shared = ContextMatrix(context_init_std=self.context_init_std, name="context_matrix")
        for layer in map(str, self.guided_layers):
            matrix = shared
            if not self.share_context_dense:
                matrix = ContextMatrix(context_init_std=self.context_init_std, name=f"context_matrix_{layer}")
            self.context_matrices[layer] = matrix
            config = {**attention.get_config(), "name": f"{attention.name}_{layer}"}
            self.plugs[layer] = type(attention).from_config(config)
            if not matrix.built:
                matrix.build(tf.TensorShape([None, width]))
            self.plugs[layer].build(tf.TensorShape([None, None, width]))

    def build(self, input_shape=None):
        # All weights exist once the constructor has run; Keras' own build would trace `call` with float ids.
        self.built = True

    # No branch depends on a tensor, here or in BERT's sublayers; graphs are made faster without AutoGraph.
    @tf.autograph.experimental.do_not_convert
    def call(
        self,
        inputs,
        training=False,
        return_attention=False,
        return_hidden_states=False,
        return_links=False,
        first_token_only=False,
    ):
        input_ids, attention_mask, token_type_ids = checked_inputs(inputs)
        main = self.bert.bert
        first_token_only &= self.pooling is None and str(self.num_layers - 1) not in self.knowledge
        hidden = main.embeddings(input_ids=input_ids, token_type_ids=token_type_ids, training=training)  # [B, T, D]
        mask = (1.0 - tf.cast(attention_mask, hidden.dtype)) * MASK_VALUE
        mask = mask[:, None, None, :]  # [B, 1, 1, T]
        context = self._context(inputs)  # [B, D] or None

        maps, links, states = {}, {}, [hidden]
        for index, layer in enumerate(main.encoder.layer):
            # The rows that go on; each still looks at all.
            rows = hidden[:, :1] if first_token_only and index == self.num_layers - 1 else hidden  # [B, Q, D]
            attended = self._attend(
                index, layer.attention, rows, hidden, context, mask, training, return_attention, maps
            )  # [B, Q, D]
            intermediate = layer.intermediate(hidden_states=attended)  # [B, Q, 4 D]
            hidden = layer.bert_output(
                hidden_states=intermediate, input_tensor=attended, training=training
            )  # [B, Q, D]
            states.append(hidden)
            knowledge = self.knowledge.get(str(index))
            if knowledge is not None:
                hidden, links[knowledge.name] = knowledge(
                    hidden, candidates=candidates_of(inputs, knowledge.name), training=training, return_links=True
                )  # [B, T, D]
                states.append(hidden)

        outputs = {"last_hidden_state": hidden}
        if self.pooling is not None:
            tokens = pooled_tokens(attention_mask, token_type_ids, self.pooling_tokens)  # [B, T]
            outputs["pooled"], annotation = self.pooling(hidden, mask=tokens, training=training)
            if return_attention:
                outputs["annotation"] = annotation  # [B, R, T]
        elif main.pooler is not None:
            outputs["pooled"] = main.pooler(hidden_states=hidden)  # [B, D]
        if return_attention:
            outputs["attention"] = maps
        if return_hidden_states:
            outputs["hidden_states"] = states
        if return_links:
            outputs["links"] = links
        return outputs

    def _attend(self, index, attention, rows, hidden, context, mask, training, return_attention, maps):
        """The attention block of one encoder layer: BERT's own, or the plug between its projections and its output."""
        plug = self.plugs.get(str(index))
        if plug is None:
            # Rows that attend to others than themselves are what BERT calls cross-attention.
            others = None if rows is hidden else hidden
            return attention(
                input_tensor=rows,
                attention_mask=mask,
                head_mask=None,
                encoder_hidden_states=others,
                encoder_attention_mask=mask,
                past_key_value=None,
                output_attentions=False,
                training=training,
            )[0]
        own = attention.self_attention
        result = plug(
            own.query(rows),
            own.key(hidden),
            own.value(hidden),
            context=self.context_matrices[str(index)](context, hidden),
            mask=mask,
            training=training,
            return_attention=return_attention,
        )
        if return_attention:
            result, maps[index] = result
        return attention.dense_output(hidden_states=result, input_tensor=rows, training=training)

    def _context(self, inputs):
        if not self.plugs:
            return None
        context_ids = inputs.get("context_ids")
        if context_ids is None:
            raise ValueError(
                "A context-guided encoder needs `context_ids`: received only "
                f"{sorted(key for key, value in inputs.items() if value is not None)}. Add an int32 [B] of context ids."
            )
        # A gather on a GPU returns zeros for an id outside the table.
        with tf.control_dependencies(
            [
                tf.debugging.assert_less(
                    context_ids,
                    tf.cast(self.num_contexts, context_ids.dtype),
                    message=f"`context_ids` must be below num_contexts={self.num_contexts}.",
                ),
                tf.debugging.assert_non_negative(context_ids, message="`context_ids` must not be negative."),
            ]
        ):
            context_ids = tf.identity(context_ids)
        return self.context_embedding(context_ids)  # [B, D]

    def plug_weights(self) -> dict[str, tf.Variable]:
        """The weights that are not the `TFBertModel`'s, by a name that is stable across versions."""
        named = {}
        if self.context_embedding is not None:
            named["context_embedding"] = self.context_embedding.embeddings
        for layer, plug in self.plugs.items():
            for part, owner in (("context_matrix", self.context_matrices[layer]), ("attention", plug)):
                named |= weights_by_name(f"layer_{layer}/{part}", owner)
        for layer in self.knowledge.values():
            named |= {f"{layer.name}/{name}": weight for name, weight in layer.named_weights().items()}
        if self.pooling is not None:
            named |= weights_by_name("pooling", self.pooling)
        return named

    def slots_config(self) -> dict:
        """The arguments of the constructor, as plain values; the bert as its configuration."""
        return {
            "bert": self.bert.config.to_dict(),
            "attention": self.attention_config if self.plugs else None,
            "num_contexts": self.num_contexts,
            "guided_layers": list(self.guided_layers) if self.plugs else None,
            "share_context_dense": self.share_context_dense,
            "context_init_std": self.context_init_std,
            "knowledge": {index: keras.layers.serialize(layer) for index, layer in self.knowledge.items()},
            "pooling": self.pooling and keras.layers.serialize(self.pooling),
            "pooling_tokens": self.pooling_tokens,
        }

    def get_config(self):
        return {"name": self.name, **self.slots_config()}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        bert = TFBertModel(BertConfig.from_dict(config.pop("bert")))
        plugs = {name: config.pop(name, None) for name in ("attention", "pooling")}
        plugs = {name: plug and keras.layers.deserialize(plug) for name, plug in plugs.items()}
        knowledge = {
            int(index): keras.layers.deserialize(layer) for index, layer in config.pop("knowledge", {}).items()
        }
        return cls(bert, knowledge=knowledge, **plugs, **config)

    @classmethod
    def from_pretrained(cls, name: str | Path, **slots) -> "SlottedBert":
        """Reads a BERT checkpoint, or what `save_pretrained` wrote.

        Args:
            name: `"minilm"`, a folder, or a hub name.
            **slots: The constructor's arguments, for a checkpoint that has no plugs yet.

        Returns:
            The encoder; its `load_report` says which weights were loaded, which are new, and which were not used.
        """
        settings = read_settings(name)
        if settings is not None and not slots:
            encoder = cls.from_config(settings["slots"])
            encoder.load_pretrained(name)
            return encoder
        bert, report = load_bert(name)
        encoder = cls(bert, **slots)
        report.new += list(encoder.plug_weights())
        encoder.load_report = report
        return encoder

    def load_pretrained(self, folder: str | Path, plugs: dict[str, tf.Variable] | None = None) -> None:
        """Fills this encoder with the weights of a folder that `save_pretrained` wrote.

        Args:
            folder: The folder.
            plugs: New weights by name, if a model around this encoder has more of them. Defaults to its own.
        """
        bert, report = load_bert(folder)
        self.bert.set_weights(bert.get_weights())
        read_plugs(folder, self.plug_weights() if plugs is None else plugs, report)
        self.load_report = report

    def save_pretrained(self, folder: str | Path) -> None:
        """Writes a HuggingFace folder that a plain `TFBertModel` loads, and the plugs beside it."""
        write_pretrained(folder, self, self.plug_weights(), {"class": type(self).__name__, "slots": self.get_config()})
