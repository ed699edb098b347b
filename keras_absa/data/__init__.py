"""Reviews as rows: tasks, readers, built-in reviews, and the data sets that models take."""

from keras_absa.data.aspect_dataset import AspectDataset
from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import (
    AspectTask,
    aspect_terms,
    mams,
    neighbourhoods,
    restaurants,
    semeval2014,
    sentihood,
    snli,
    yelp,
)
from keras_absa.data.aspect_term_reader import read_aspect_terms
from keras_absa.data.csd_reader import read_csd
from keras_absa.data.data_error import DataError
from keras_absa.data.data_report import DataReport, report
from keras_absa.data.formats import find_splits, read_examples, read_folder
from keras_absa.data.joint_task import (
    JointTask,
    meld_emotion,
    meld_sentiment,
    mosei_emotion,
    mosei_score,
    mosei_sentiment,
)
from keras_absa.data.load import load
from keras_absa.data.load_report import LoadReport, write_rejects
from keras_absa.data.pairs import pair_rows, write_pairs
from keras_absa.data.records import from_records
from keras_absa.data.segment_table_reader import read_meld, read_segment_table
from keras_absa.data.segments import Segments
from keras_absa.data.segments_file import read_segments, write_segments
from keras_absa.data.semeval2014_reader import read_semeval2014
from keras_absa.data.semeval2016_reader import read_semeval2016
from keras_absa.data.sentihood_reader import read_sentihood
from keras_absa.data.snli_reader import read_snli
from keras_absa.data.split_examples import split_examples
from keras_absa.data.splits import check_groups, grouped_holdout
from keras_absa.data.synthetic import cross_modal, cross_modal_segments, synthetic_reviews
from keras_absa.data.table import read_table
from keras_absa.data.target_text_reader import read_target_texts
from keras_absa.data.task_from_examples import task_from_examples
from keras_absa.data.tbje_pickles import read_tbje_pickles
from keras_absa.data.treebank import treebank_clean
from keras_absa.data.word_vectors import WordVectors, read_word_vectors
from keras_absa.data.write_examples import write_examples
from keras_absa.data.yelp_reader import read_yelp

__all__ = [
    "AspectDataset",
    "AspectExample",
    "AspectTask",
    "DataError",
    "DataReport",
    "JointTask",
    "LoadReport",
    "Segments",
    "WordVectors",
    "aspect_terms",
    "check_groups",
    "cross_modal",
    "cross_modal_segments",
    "find_splits",
    "from_records",
    "grouped_holdout",
    "load",
    "mams",
    "meld_emotion",
    "meld_sentiment",
    "mosei_emotion",
    "mosei_score",
    "mosei_sentiment",
    "neighbourhoods",
    "pair_rows",
    "read_aspect_terms",
    "read_csd",
    "read_examples",
    "read_folder",
    "read_meld",
    "read_segment_table",
    "read_segments",
    "read_semeval2014",
    "read_semeval2016",
    "read_sentihood",
    "read_snli",
    "read_table",
    "read_target_texts",
    "read_tbje_pickles",
    "read_word_vectors",
    "read_yelp",
    "report",
    "restaurants",
    "semeval2014",
    "sentihood",
    "snli",
    "split_examples",
    "synthetic_reviews",
    "task_from_examples",
    "treebank_clean",
    "write_examples",
    "write_pairs",
    "write_rejects",
    "write_segments",
    "yelp",
]
