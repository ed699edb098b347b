"""From a text and a context's number to the integer inputs of a model: the one path that training, evaluation,
prediction and an exported model share.

Shapes: B rows, T tokens, K contexts, C labels.
"""

import tensorflow as tf

from keras_absa.text.row_encoder import row_encoder
from keras_absa.text.target_marker import TargetMarker
from keras_absa.text.tokenizer import Tokenizer
from keras_absa.text.word_tokenizer import WordTokenizer

_HERE = "\ufdd0"  # stands for an open aspect; a noncharacter, which no label holds


class AspectEncoder(tf.Module):
    """Encodes a text and the (target, aspect) in question, with the auxiliary sentence of a scheme.

    Args:
        tokenizer: A `Tokenizer`, or a `WordTokenizer`, with which the auxiliary sentence stays apart from the text.
        task: An `AspectTask`: contexts, labels, placeholders and their words.
        scheme: `"nli_m"`, `"qa_m"`, `"nli_b"`, `"qa_b"` or `"single"` (no auxiliary sentence). Defaults to `"nli_m"`.
        max_length: Int, most tokens of a row. Defaults to 128.
        bases, embedded: Knowledge bases whose mentions are found, see `keras_absa.knowledge.KnowledgeEncoder`. Default to ()
            and None.

    Example:
        >>> from keras_absa.data import restaurants
        >>> from keras_absa.environment import minilm_folder
        >>> encoder = AspectEncoder(Tokenizer(minilm_folder() / "vocab.txt"), restaurants())
        >>> encoder(["good food"], [0])["input_ids"].numpy().tolist()
        [[101, 2204, 2833, 102, 2833, 102]]

    Reference:
        Sun, Huang and Qiu 2019, section 3.2, for the schemes; in the two binary ones the auxiliary sentence
        comes first, as in their code.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | WordTokenizer,
        task,
        scheme: str = "nli_m",
        max_length: int = 128,
        bases=(),
        embedded=None,
        name: str | None = None,
    ):
        super().__init__(name=name)
        self.pair_encoder = row_encoder(tokenizer, max_length, bases, embedded)
        self.scheme = scheme
        self.num_candidates = len(task.labels) if scheme.endswith("_b") else 1
        candidates = task.labels if scheme.endswith("_b") else (None,)
        self.open_aspects = task.open_aspects
        if self.open_aspects and scheme == "single":
            raise ValueError(
                f"Scheme 'single' has a classifier for each aspect: received task {task.name!r}, whose aspects are open. Use "
                "'nli_m'."
            )
        auxiliary = [  # K C sentences
            task.auxiliary_sentence(scheme, context, label, _HERE)
            for context in range(task.num_contexts)
            for label in candidates
        ]
        # What stands before and after an open aspect; a closed one is in the sentence already.
        self.before, _, self.after = zip(*(sentence.partition(_HERE) for sentence in auxiliary))
        self.marker = TargetMarker(task.targets, task.target_words) if task.targets else None

    def __call__(self, text, context_ids, candidate_ids=None, target=None, other_target=None, aspect=None, length=None):
        """Encodes a batch of rows.

        Args:
            text: String [B].
            context_ids: Int32 [B].
            candidate_ids: Int32 [B], the label that a binary scheme's auxiliary sentence claims. Defaults to None.
            target: String [B], for a task with targets.
            other_target: String [B], `""` where there is none.
            aspect: String [B], for a task with open aspects.
            length: Int, pad to this many tokens. Defaults to None, the longest row.

        Returns:
            A dict of int32 tensors: `context_ids` [B], and what the tokenizer's encoder gives: `PairEncoder`'s `input_ids`,
            `token_type_ids` and `attention_mask` [B, T], or those of `SequenceEncoder`.
        """
        first, second = self.segments(text, context_ids, candidate_ids, target, other_target, aspect)
        inputs = self.pair_encoder(first, second, length=length)
        return {**inputs, "context_ids": tf.cast(context_ids, tf.int32)}

    def room(self, aspects=("",)) -> int:
        """How many word pieces of a text always fit beside its question; `aspects` are those of an open task."""
        if self.scheme == "single" or not self.pair_encoder.shares_room:
            return self.pair_encoder.max_length - self.pair_encoder.special_tokens
        asked = set(aspects) if self.open_aspects else {""}
        sentences = [before + aspect + after for before, after in zip(self.before, self.after) for aspect in asked]
        pieces = self.pair_encoder.tokenizer.tokenize(sentences).row_lengths()
        return self.pair_encoder.max_length - 3 - int(tf.reduce_max(pieces))

    def lengths(self, text, context_ids, candidate_ids=None, target=None, other_target=None, aspect=None):
        """How many tokens each row (or the longer of its two texts) has, and how many were cut from it: two int32 [B]."""
        segments = self.segments(text, context_ids, candidate_ids, target, other_target, aspect)
        inputs, cut = self.pair_encoder.tokens_with_counts(*segments)
        masks = [inputs[name] for name in ("attention_mask", "second_mask") if name in inputs]
        return tf.reduce_max([tf.reduce_sum(mask, axis=1) for mask in masks], axis=0), cut

    def segments(self, text, context_ids, candidate_ids=None, target=None, other_target=None, aspect=None):
        """The two texts of each row, string [B] each; the second is None in the single scheme."""
        text = tf.convert_to_tensor(text)
        context_ids = tf.convert_to_tensor(context_ids)
        if self.marker is not None:
            text = self.marker.render(text) if target is None else self.marker(text, target, other_target)[0]
        if self.scheme == "single":
            return text, None
        row = context_ids * self.num_candidates
        if self.num_candidates > 1:
            row += tf.cast(candidate_ids, row.dtype)
        auxiliary = tf.gather(self.before, row)  # [B]
        if self.open_aspects:
            auxiliary = tf.strings.join([auxiliary, aspect, tf.gather(self.after, row)])
        if self.num_candidates > 1:
            # The reference trims whole lines here; it changes nothing for BERT.
            return auxiliary, text
        return text, auxiliary
