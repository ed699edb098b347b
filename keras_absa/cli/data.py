"""`keras-absa data report | convert | split`: looking at data, and changing its form, without a model."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from keras_absa.cli.command_group import CommandGroup, quiet_tensorflow, tell
from keras_absa.cli.json_output import to_json

data = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, rich_markup_mode=None, help="Look at data sets, convert and split them."
)

PICTURES = (".png", ".svg", ".pdf")
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task",
        help="sentihood | semeval2014 | mams | restaurants | neighbourhoods | terms, or a .json of AspectTask.to_dict(). "
        "By default it is taken from the (first) file.",
    ),
]
OnErrorOption = Annotated[
    Literal["raise", "skip"], typer.Option(help="Rows that cannot be used: name them and stop, or leave them out.")
]
ConflictOption = Annotated[
    Literal["keep", "drop", "error"], typer.Option(help="What becomes of a question that has two labels.")
]
CleanOption = Annotated[
    str, typer.Option("--clean", help="raw | treebank: SentiHood texts as they are, or as published.")
]


@data.command()
def report(
    files: Annotated[
        list[Path], typer.Argument(help="One file a split, or one folder with train, dev and test files.")
    ],
    task: TaskOption = None,
    clean: CleanOption = "raw",
    backbone: Annotated[
        str,
        typer.Option(help="Whose word pieces are counted: minilm, or a folder with vocab.txt; none for no lengths."),
    ] = "minilm",
    max_length: Annotated[int, typer.Option(min=4, help="Most tokens of a row.")] = 128,
    html: Annotated[Path | None, typer.Option(help="Also write a page.")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw a picture, .png, .svg or .pdf; needs the extra plot.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a page or picture that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
):
    """Show what is in data files and what is wrong with them.

    Sizes, labels of each aspect, copies of a text, texts that are in two files, questions with several labels, aspects
    that their text does not name, lengths and how many rows would be cut. Rows that cannot be used are skipped and listed
    on stderr; then the exit code is 1.

    \b
    Examples:
      keras-absa data report reviews/
      keras-absa data report train.csv test.csv --json
      keras-absa data report data/semeval2014 --task terms --html report.html --picture report.png
    """
    from keras_absa.data import report as data_report
    from keras_absa.data.write_examples import replace_file

    outputs = [path for path in (html, picture) if path is not None]
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise ValueError(f"`--picture` must end in one of {list(PICTURES)}: received {picture}. Rename it.")
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ValueError(f"`--html` and `--picture` must be two files: received {html} for both. Rename one.")
    for path in outputs:
        _check_new(path, overwrite)
    found_task, splits, reports = _read(files, task, clean, outputs=outputs)
    tokenizer = None
    if backbone != "none":
        quiet_tensorflow()
        from keras_absa.models.backbone import find_file, lower_case_of
        from keras_absa.text import Tokenizer

        vocabulary = find_file(backbone, "vocab.txt")
        if vocabulary is None:
            raise FileNotFoundError(f"{backbone}: no vocab.txt. Name another --backbone, or none.")
        tokenizer = Tokenizer(vocabulary, lower_case=lower_case_of(backbone))
    result = data_report(splits, found_task, tokenizer=tokenizer, max_length=max_length, load_reports=reports)
    if html is not None:
        replace_file(html, result.to_html())
    if picture is not None:
        result.plot(picture)
    typer.echo(to_json(result.to_dict()) if as_json else str(result))
    if any(each.rejected for each in reports.values()):
        raise typer.Exit(1)


@data.command()
def convert(
    source: Annotated[Path, typer.Argument(help="The file to read.")],
    output: Annotated[Path, typer.Argument(help="The file to write; its name says the format.")],
    task: TaskOption = None,
    clean: CleanOption = "raw",
    on_error: OnErrorOption = "raise",
    conflict: ConflictOption = "keep",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")] = False,
):
    """Write a data file in another format.

    Reads .csv, .tsv, .jsonl, .parquet, SentiHood's .json, SemEval's and MAMS' .xml and .raw texts with $T$, and writes the
    same: .xml in the form of SemEval-2015/16 where every aspect is ENTITY#ATTRIBUTE, else in that of 2014. What a format cannot
    hold is refused, and nothing is written.

    \b
    Examples:
      keras-absa data convert Restaurants_Train.xml train.jsonl --task terms
      keras-absa data convert reviews.csv reviews.parquet
    """
    from keras_absa.cli.data_source import tell_counts
    from keras_absa.data import write_examples

    _check_new(output, overwrite)
    if clean == "treebank" and output.suffix.lower() == ".json":
        raise ValueError(
            f"`--clean treebank` rewrites the targets, which SentiHood's format needs: received it for {output}. Write .csv, "
            ".jsonl or .parquet."
        )
    found_task, splits, reports = _read([source], task, clean, on_error, conflict, outputs=[output])
    rows = _rows_of(source, splits)
    tell_counts(reports.values())
    write_examples(rows, output, found_task)
    tell(f"{len(rows)} rows of {len({row.id or row.text for row in rows})} texts from {source} to {output}")


@data.command()
def split(
    source: Annotated[Path, typer.Argument(help="The file to split.")],
    output: Annotated[Path, typer.Argument(help="A folder for train, dev and test, in the format of the file.")],
    shares: Annotated[tuple[float, float, float], typer.Option(help="Of train, dev and test; 0 leaves a part out.")] = (
        0.8,
        0.1,
        0.1,
    ),
    seed: Annotated[int, typer.Option(help="Same seed, same parts.")] = 0,
    task: TaskOption = None,
    on_error: OnErrorOption = "raise",
    conflict: ConflictOption = "keep",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")] = False,
):
    """Split a file into train, dev and test: no text in two of them, labels of each aspect alike in all.

    \b
    Examples:
      keras-absa data split reviews.csv reviews/
      keras-absa data split Restaurants_Train.xml parts/ --shares 0.9 0.1 0 --task terms
    """
    from keras_absa.cli.data_source import tell_counts
    from keras_absa.data import split_examples
    from keras_absa.data.write_examples import examples_as_file, replace_file

    wanted = {name: share for name, share in zip(("train", "dev", "test"), shares, strict=True) if share}
    paths = {name: output / f"{name}{source.suffix.lower()}" for name in wanted}
    for path in paths.values():
        _check_new(path, overwrite)
    names = ("train", "dev", "val", "test")
    left = [path.name for path in output.glob("*") if path.stem in names and path not in paths.values()]
    if left:
        raise ValueError(
            f"`output` must not hold parts of another split: received {output} with {', '.join(sorted(left))}. Delete them, or "
            "choose another folder."
        )
    found_task, splits, reports = _read([source], task, "raw", on_error, conflict, outputs=paths.values())
    rows = _rows_of(source, splits)
    tell_counts(reports.values())
    parts = split_examples(rows, wanted, seed)
    # All parts before the first is written: half a split beside an old one would share texts with it.
    files = {name: examples_as_file(parts[name], path, found_task) for name, path in paths.items()}
    output.mkdir(parents=True, exist_ok=True)
    for name, path in paths.items():
        replace_file(path, files[name])
        tell(f"{len(parts[name])} rows of {len({row.id or row.text for row in parts[name]})} texts to {path}")


def _check_new(path: Path, overwrite: bool) -> None:
    if path.is_dir():
        raise ValueError(f"What is written must be a file: received the folder {path}. Choose another name.")
    if path.exists() and not overwrite:
        raise ValueError(
            f"What is written must be a new file: received {path}, which exists. Add --overwrite to replace it."
        )


def _rows_of(source: Path, splits: dict) -> list:
    (rows,) = splits.values()
    if not rows:
        raise ValueError(f"{source}: no rows, expected some. Check the file.")
    return rows


def _read(files, task_name, clean, on_error="skip", conflict="keep", outputs=()):
    """The task, file or split to rows, and file or split to what its reader reported; no output may be one of the files."""
    from keras_absa.cli.data_source import find_task, task_of_file
    from keras_absa.data import LoadReport, find_splits, read_examples

    if len(files) == 1 and files[0].is_dir():
        paths = find_splits(None, files[0])
        _check_apart(outputs, paths.values())
        task = find_task(task_name, str(files[0]), on_error, labelled=False)
    else:
        for path in files:
            if not path.is_file():
                raise FileNotFoundError(
                    f"{path}: no such file. Give files, or one folder with train, dev and test files."
                )
        if len({path.resolve() for path in files}) < len(files):
            raise ValueError(
                f"Each file must be given once: received {', '.join(map(str, files))}. Leave the copy out."
            )
        _check_apart(outputs, files)
        task = task_of_file(task_name, files[0], files[0].stem, on_error, labelled=False)
        names = [path.stem for path in files]
        names = names if len(set(names)) == len(names) else list(map(str, files))
        paths = dict(zip(names, files, strict=True))
    splits, reports = {}, {}
    for name, path in paths.items():
        reports[name] = LoadReport()
        own = {"on_error": on_error, "report": reports[name], "conflict": conflict}
        splits[name] = read_examples(task, path, clean=clean, labelled=False, **own)
        for _, message in reports[name].rejected:
            tell(message)
    return task, splits, reports


def _check_apart(outputs, files) -> None:
    for path in outputs:
        if path.exists() and any(path.samefile(file) for file in files):
            raise ValueError(
                f"What is written must not replace the data: received {path} for both. Choose another name."
            )
