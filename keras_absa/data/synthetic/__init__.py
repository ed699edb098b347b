"""A labelled data set that needs no download."""

from keras_absa.data.synthetic.reviews import synthetic_reviews

__all__ = ["synthetic_reviews"]
