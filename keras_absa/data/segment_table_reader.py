"""Segments from your own table, and MELD's, with arrays beside them."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from keras_absa.data.feature_arrays import feature_arrays
from keras_absa.data.joint_task import JointTask
from keras_absa.data.load_report import LoadReport
from keras_absa.data.plain_rows import plain_rows
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.segments import Segments

MELD_COLUMNS = ("Utterance", "Emotion", "Sentiment", "Dialogue_ID", "Utterance_ID")


def read_segment_table(
    path: str | Path,
    task: JointTask,
    features: Mapping | None = None,
    *,
    split: str = "train",
    id_column: str = "id",
    text_column: str | None = "text",
    labelled: bool = True,
    on_error: str = "raise",
    report: LoadReport | None = None,
) -> Segments:
    """Reads a table of segments, a `.csv`, `.tsv` or a file with a JSON object a line, and their arrays.

    A task of classes has them by name, and one of scores numbers, in a column that is called as its target; a task of labels
    has a column for each label, above 0 where it is present.

    Args:
        path: The table.
        task: The `JointTask`; its columns are read.
        features: Modality to arrays by segment id: a dict, a `.npz`, or a folder of `<id>.npy`. Defaults to None. A segment
            that is not there lacks the modality; it is counted.
        split: The split's name. Defaults to `"train"`.
        id_column, text_column: Names of columns; None where there is no text. Default to `"id"` and `"text"`.
        labelled: Bool, whether the task's columns must be there. Defaults to True.
        on_error: `"raise"`, or `"skip"` to leave bad rows out and count them in `report`. Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to None.

    Raises:
        FileNotFoundError: If the table or arrays are not there.
        DataError: If rows cannot be used; it names file and line.

    Example:
        >>> _ = Path("clips.csv").write_text("id,text,mood\\n7,so nice,calm\\n9,go away,tense\\n")
        >>> task = JointTask("mood", "mood", "classes", ("calm", "tense"))
        >>> read_segment_table("clips.csv", task, {"audio": {"7": np.ones([4, 2])}}).counts
        {'audio_missing': 1}
    """
    log = ProblemLog(path, on_error, report)
    columns = (list(task.labels) if task.kind == "labels" else [task.target]) if labelled else []
    needed = [id_column, *([text_column] if text_column else []), *columns]
    ids, texts, values = {}, [], []
    for line, row in plain_rows(path, needed, log):
        identifier = str(row[id_column]).strip()
        if not identifier or identifier in ids:
            first = f", as in line {ids[identifier]}" if identifier else ""
            log.bad("bad_id", line, f"id {identifier!r}{first}: expected an id of its own")
            continue
        read = [_value(task, column, row[column], line, log) for column in columns]
        if None not in read:
            ids[identifier] = line
            texts.append(str(row[text_column]) if text_column else None)
            values.append(read)
    return _built(log, list(ids), texts if text_column else None, features, task, values if labelled else None, split)


def read_meld(
    path: str | Path,
    features: Mapping | None = None,
    *,
    split: str = "train",
    on_error: str = "raise",
    report: LoadReport | None = None,
) -> Segments:
    """Reads MELD's CSV of utterances, with `emotion` and `sentiment` as targets and ids `dia<i>_utt<j>`.

    Args:
        path: For example `train_sent_emo.csv`.
        features, split, on_error, report: See `read_segment_table`.

    Raises:
        FileNotFoundError: If the table or arrays are not there.
        DataError: If rows cannot be used; it names file and line.

    Example:
        >>> head = "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID\\n"
        >>> _ = Path("meld.csv").write_text(head + '1,"Oh, no!",Ann,surprise,negative,0,3\\n')
        >>> found = read_meld("meld.csv")
        >>> found.ids, found.targets["emotion"].tolist()
        (['dia0_utt3'], ['surprise'])

    Reference:
        Poria et al. 2019, "MELD: A Multimodal Multi-Party Dataset for Emotion Recognition in Conversations".
    """
    log = ProblemLog(path, on_error, report)
    rows = {}
    for line, row in plain_rows(path, MELD_COLUMNS, log):
        text, emotion, sentiment, dialogue, utterance = (str(row[name]).strip() for name in MELD_COLUMNS)
        identifier = f"dia{dialogue}_utt{utterance}"
        if not (dialogue.isdecimal() and utterance.isdecimal()) or identifier in rows:
            log.bad(
                "bad_id", line, f"dialogue {dialogue!r} and utterance {utterance!r}: expected two numbers, once a file"
            )
        elif not emotion or not sentiment:
            log.bad("missing_label", line, "no Emotion or Sentiment, expected both")
        else:
            rows[identifier] = (text, emotion.lower(), sentiment.lower())
    columns = list(zip(*rows.values(), strict=True)) or [(), (), ()]
    targets = {"emotion": np.array(columns[1], np.str_), "sentiment": np.array(columns[2], np.str_)}
    return _finished(log, list(rows), list(columns[0]), features, targets, {}, split)


def _value(task, column, value, line, log):
    """A name, or a number; None if it is neither."""
    if task.kind == "classes" and not task.from_scores:
        value = str(value).strip()
        if value in task.labels:
            return value
        log.bad("unknown_label", line, f"{column} {value!r:.60}: expected one of {list(task.labels)}")
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    limit = math.inf if task.kind == "labels" else 3.0
    if math.isfinite(number) and abs(number) <= limit and not isinstance(value, bool):
        return number
    log.bad(
        "bad_number",
        line,
        f"{column} {value!r:.60}: expected a number{'' if task.kind == 'labels' else ' from -3 to 3'}",
    )
    return None


def _built(log, ids, texts, features, task, values, split):
    targets, names = {}, {}
    if values is not None and task.kind == "labels":
        targets[task.target] = np.array(values, "float32").reshape(len(ids), len(task.labels))
        names[task.target] = task.labels
    elif values is not None:
        kind = np.str_ if task.kind == "classes" and not task.from_scores else "float32"
        targets[task.target] = np.array([each for (each,) in values], kind)
    return _finished(log, ids, texts, features, targets, names, split)


def _finished(log, ids, texts, features, targets, names, split):
    log.finish([])
    log.report.rows = log.report.texts = len(ids)
    arrays = {name: feature_arrays(source, ids) for name, source in (features or {}).items()}
    return Segments(ids, texts, arrays, targets, names, split)
