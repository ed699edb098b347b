"""`keras-absa predict`: a stream of texts in, a stream of answers out."""

import sys
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer

from keras_absa.cli.command_group import FINDINGS, quiet_tensorflow, tell
from keras_absa.cli.json_output import to_json

FORMAT_OF_SUFFIX = {".jsonl": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv"}
CHUNK = 256  # records that are in memory at a time


def predict(
    model_folder: Annotated[Path, typer.Argument(help="What `train` wrote: runs/NAME/model.")],
    file: Annotated[
        str,
        typer.Argument(
            help="A text a line; or .jsonl, .csv, .tsv; - for stdin; for a joint encoder a .npz of segments."
        ),
    ] = "-",
    form: Annotated[Literal["jsonl", "csv"], typer.Option("--format", help="Of the answers.")] = "jsonl",
    output: Annotated[Path | None, typer.Option(help="Where the answers go.  [default: stdout]")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")] = False,
    input_format: Annotated[
        Literal["text", "jsonl", "csv", "tsv"] | None,
        typer.Option(help="Of the file.  [default: by its name; text for stdin]"),
    ] = None,
    targets: Annotated[
        list[str] | None,
        typer.Option(help="A name to ask about wherever it stands in a text; may be given several times."),
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Rows at a time.")] = 64,
    window: Annotated[
        int | None,
        typer.Option(min=2, help="Split long texts into windows of so many word pieces.  [default: cut them]"),
    ] = None,
):
    """Ask a saved model about a stream of texts.

    It writes one row for each (text, target, aspect) in the order of the input, with the line that it came from, the label
    and the probability of every label.

    A record may name its `target`, `other_target` and `aspect` beside its `text`. Without an aspect, all are asked
    about. Without a target, those of --targets that stand in the text are asked about, or else the task's placeholders;
    where exactly two of --targets stand in it, each is the other's other_target.

    A line that cannot be used is reported on stderr as file:line, the others are answered, and the exit code is 1.
    Blank lines are passed over.

    \b
    Examples:
      keras-absa predict runs/first/model reviews.txt --output answers.jsonl
      keras-absa predict runs/first/model reviews.csv --format csv
      cat reviews.jsonl | keras-absa predict runs/first/model - --input-format jsonl | head
      keras-absa predict runs/sentihood/model posts.txt --targets Camden --targets Soho
      keras-absa predict runs/tbje/model clips.npz > answers.jsonl
    """
    from keras_absa.data.formats import SUFFIXES  # here, because --help must not need NumPy

    path = None if file == "-" else Path(file)
    if path is not None and (path.is_dir() or not path.exists()):  # a pipe with a name will do
        what = "a folder" if path.is_dir() else "no such file"
        raise FileNotFoundError(
            f"{path}: {what}. Give a file with a text a line, .jsonl, .csv or .tsv, or - for stdin."
        )
    suffix = Path(file).suffix.lower()
    if input_format is None and suffix in SUFFIXES and suffix not in FORMAT_OF_SUFFIX:
        raise ValueError(
            f"{file}: `predict` reads a text a line, .jsonl, .csv or .tsv. Convert it with `keras-absa data convert`, or say "
            "--input-format text."
        )
    if path is not None and output is not None and output.exists() and output.samefile(path):
        raise ValueError(
            f"`--output` must not be the file that is read: received {output} for both. Choose another name."
        )
    if output is not None and output.exists() and not overwrite:
        raise ValueError(
            f"`--output` must be a new file: received {output}, which exists. Add --overwrite to replace it."
        )
    if len({name.casefold() for name in targets or ()}) < len(targets or ()):
        raise ValueError(f"`--targets` must be different names: received {', '.join(targets)}. Leave the copy out.")
    quiet_tensorflow()
    from keras_absa.cli.text_records import BadRecord, questions, read_records
    from keras_absa.models.aspect_prediction import AspectPrediction
    from keras_absa.models.joint_encoder import JointEncoder
    from keras_absa.models.load_model import load_model
    from keras_absa.models.predictor import Predictor

    model = load_model(model_folder)
    if isinstance(model, JointEncoder):
        if suffix != ".npz" or form != "jsonl" or targets or window or input_format:
            raise ValueError(
                f"A joint encoder answers about a .npz of segments, in JSON Lines: received {file}, or other options than "
                "--output, --overwrite and --batch-size. Write segments with keras_absa.data.write_segments."
            )
        _predict_segments(model, path, output, batch_size)
        return
    if suffix == ".npz":
        raise ValueError(f"{file}: a {type(model).__name__} reads texts: received an array file. Give it texts.")
    if targets and not model.task.targets:
        raise ValueError(f"`--targets` needs a task with targets: {model.task.name!r} has none. Leave it out.")
    predictor = Predictor(model, batch_size, window)
    name = "stdin" if path is None else str(path)
    used = bad = 0

    def report(line, what):
        nonlocal bad
        bad += 1
        typer.echo(f"{name}:{line}: {what}", err=True)

    with ExitStack() as stack:
        source = sys.stdin.buffer if path is None else stack.enter_context(path.open("rb"))
        sink = None

        def write(lines: bytes):
            # The output is opened when there is an answer for it: what is there before stays if there never is one.
            nonlocal sink
            if sink is None:
                sink = sys.stdout.buffer if output is None else stack.enter_context(output.open("wb"))
                sink.write(_header(model.task) if form == "csv" else b"")
            sink.write(lines)
            sink.flush()

        kind = input_format or FORMAT_OF_SUFFIX.get(suffix, "text")
        records = read_records(source, kind, report, name)
        while chunk := list(islice(records, CHUNK)):
            rows, lines = [], []
            for line, record in chunk:
                try:
                    rows += questions(model.task, record, tuple(targets or ()))
                    lines += [line] * (len(rows) - len(lines))
                    used += 1
                except BadRecord as error:
                    report(line, str(error))
            if rows:
                (answers,) = AspectPrediction.of_texts(
                    [rows], model.task, predictor.probabilities(rows), model.none_threshold
                )
                write(_lines_of(lines, answers, form))
        write(b"")
    if predictor.cut_rows:
        tell(
            f"warning: {predictor.cut_rows} rows were cut at {model.max_length} tokens and lost {predictor.cut_pieces} "
            "pieces; --window splits long texts instead"
        )
    if bad:
        tell(f"{bad} of {used + bad} records could not be used; see above")
        raise typer.Exit(FINDINGS)


def _predict_segments(model, path, output, batch_size):
    """An answer a segment, in the order of the file."""
    from keras_absa.data import read_segments

    segments = read_segments(path, "test")
    tell(segments.summary())
    lines = "".join(to_json(each, indent=None) + "\n" for each in model.answer(segments, batch_size=batch_size)).encode(
        "utf-8"
    )
    if output is None:
        sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()
    else:
        output.write_bytes(lines)


def _header(task) -> bytes:
    return _csv_lines([["line", "text", "target", "aspect", "label", *(f"p_{label}" for label in task.labels)]])


def _lines_of(lines, answers, form) -> bytes:
    if form == "csv":
        return _csv_lines(
            [line, each.text, each.target or "", each.aspect, each.label, *each.probabilities.values()]
            for line, each in zip(lines, answers, strict=True)
        )
    keys = ("text", "target", "aspect", "label", "probabilities")
    records = (
        {"line": line, **{key: getattr(each, key) for key in keys}} for line, each in zip(lines, answers, strict=True)
    )
    return "".join(to_json(record, indent=None) + "\n" for record in records).encode("utf-8")


def _csv_lines(rows) -> bytes:
    from keras_absa.data.write_examples import csv_line

    return "".join(csv_line(list(map(str, row))) for row in rows).encode("utf-8")
