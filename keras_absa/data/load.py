"""Files of a folder to the data sets that `fit` and `evaluate` take."""

import warnings
from pathlib import Path

from keras_absa.data.aspect_dataset import AspectDataset
from keras_absa.data.aspect_task import AspectTask, neighbourhoods, restaurants
from keras_absa.data.formats import read_folder
from keras_absa.data.load_report import write_rejects
from keras_absa.data.synthetic import synthetic_reviews

SPLITS = ("train", "dev", "test")
BUILT_IN = {"restaurants": restaurants, "neighbourhoods": neighbourhoods}


def load(
    task: AspectTask,
    path: str | Path,
    *,
    batch_size: int = 24,
    sampler: str = "balanced",
    seed: int = 0,
    clean: str = "raw",
    holdout: float = 0.1,
    on_error: str = "raise",
    rejects: str | Path | None = None,
    conflict: str = "keep",
) -> tuple[AspectDataset, AspectDataset, AspectDataset | None]:
    """Reads the training, development and test sets of a folder, or makes a built-in one.

    Args:
        task: The `AspectTask`.
        path: A folder with SentiHood's or SemEval-2014's files, or `train`, `dev` and `test` as CSV or JSONL; or one of
            `"restaurants"` and `"neighbourhoods"`, the built-in reviews that need no file.
        batch_size: Int, for training. Defaults to 24.
        sampler: `"balanced"`, `"shuffle"` or `"none"`, see `AspectDataset`. Defaults to `"balanced"`.
        seed: Int, for sampling, for a held-out development set and for built-in reviews. Defaults to 0.
        clean: `"raw"`, or `"treebank"` for parity with published SentiHood runs. Defaults to `"raw"`.
        holdout: Float, the share of training texts that becomes the development set where there is none, as in
            SemEval-2014. Defaults to 0.1.
        on_error: `"raise"` collects the mistakes of a file and raises them together; `"skip"` leaves such rows out and
            warns once with their number. Defaults to `"raise"`.
        rejects: A file for what was left out, one JSON object a mistake, see `write_rejects`. Defaults to None.
        conflict: What becomes of a question with two labels: `"keep"`, `"drop"` or `"error"`. Defaults to `"keep"`.

    Returns:
        (train, dev, test); test is None where the folder has no test file.

    Raises:
        FileNotFoundError: If a file is missing; the message names what was looked for.
        DataError: If rows cannot be used; the message names file and line.

    Example:
        >>> train, dev, test = load(restaurants(), "restaurants")
        >>> train.split, len(dev) % 4
        ('train', 0)
    """
    if str(path) in BUILT_IN:
        if rejects is not None or on_error != "raise" or conflict != "keep":
            raise ValueError(
                f"`on_error`, `rejects` and `conflict` are for files: received them with the built-in {str(path)!r}. Leave them "
                "out."
            )
        examples = {split: synthetic_reviews(str(path), split, seed=seed) for split in SPLITS}
    else:
        reports, own = {}, {"on_error": on_error, "conflict": conflict}
        try:
            examples = read_folder(task, path, clean=clean, holdout=holdout, seed=seed, reports=reports, **own)
        finally:
            # What was left out may be why nothing could be read.
            if rejects is not None and reports:
                write_rejects(list(reports.values()), rejects)
        skipped = sum(len(report.rejected) for report in reports.values())
        if skipped:
            where = f"They are listed in {rejects}." if rejects else "Pass `rejects=` for a list of them."
            warnings.warn(f"{skipped} mistakes in {path} were skipped. {where}", stacklevel=2)
    arguments = {"batch_size": batch_size, "sampler": sampler, "seed": seed}
    return tuple(
        AspectDataset(examples[split], task, split=split, **arguments) if examples[split] or split != "test" else None
        for split in SPLITS
    )
