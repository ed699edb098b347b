"""A labelled data set that needs no download."""

from keras_absa.data.synthetic.cross_modal import cross_modal, cross_modal_segments
from keras_absa.data.synthetic.reviews import synthetic_reviews

__all__ = ["cross_modal", "cross_modal_segments", "synthetic_reviews"]
