"""What a model looked at, as data, pictures and HTML."""

from keras_absa.explain.annotation_html import annotation_html
from keras_absa.explain.annotation_matrix import AnnotationMatrix
from keras_absa.explain.annotation_picture import annotation_picture
from keras_absa.explain.annotations import annotations

__all__ = ["AnnotationMatrix", "annotation_html", "annotation_picture", "annotations"]
