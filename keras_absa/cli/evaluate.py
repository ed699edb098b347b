"""`keras-absa evaluate`: the official metrics of a saved model."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from keras_absa.cli.command_group import quiet_tensorflow
from keras_absa.cli.json_output import to_json

Split = Literal["train", "dev", "test"]


def evaluate(
    model_folder: Annotated[Path, typer.Argument(help="What `train` wrote: runs/NAME/model.")],
    data: Annotated[
        str,
        typer.Option(
            help="A folder, a labelled file, or restaurants | neighbourhoods; of segments a .npz, or cross-modal."
        ),
    ],
    split: Annotated[Split, typer.Option(help="Which split of a folder or of built-in reviews.")] = "test",
    clean: Annotated[
        Literal["raw", "treebank"], typer.Option(help="SentiHood texts: as they are, or as published runs.")
    ] = "raw",
    holdout: Annotated[
        float, typer.Option(help="Share of training texts that is the dev split where there is none.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed of that hold-out, and of built-in reviews.")] = 0,
    batch_size: Annotated[int, typer.Option(min=1, help="Rows at a time.")] = 64,
    window: Annotated[
        int | None,
        typer.Option(min=2, help="Split long texts into windows of so many word pieces.  [default: cut them]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
):
    """Score a saved model with its official metrics.

    The numbers of a constant answer, which any model has to beat, stand beside them; with a joint encoder among them, as
    majority_accuracy.

    \b
    Examples:
      keras-absa evaluate runs/first/model --data restaurants
      keras-absa evaluate runs/sentihood/model --data data/sentihood --split dev --json
      keras-absa evaluate runs/shop/model --data labelled.csv
      keras-absa evaluate runs/tbje/model --data mosei/ --split test
    """
    quiet_tensorflow()
    from keras_absa.cli.data_source import read_split
    from keras_absa.cli.metric_table import metric_table
    from keras_absa.cli.segment_source import read_segment_split
    from keras_absa.metrics import constant_baseline
    from keras_absa.models.joint_encoder import JointEncoder
    from keras_absa.models.load_model import load_model

    model = load_model(model_folder)
    if isinstance(model, JointEncoder):
        if window is not None:
            raise ValueError(
                "`--window` splits long texts for models of texts: received it with a joint encoder. Leave it out."
            )
        dataset = read_segment_split(data, split, seed)
        report, baseline = model.evaluate(dataset, batch_size=batch_size), None
    else:
        dataset = read_split(model.task, data, split, clean=clean, holdout=holdout, seed=seed)
        baseline = constant_baseline(
            model.task, dataset.examples
        )  # says what is wrong with labels before the long work
        report = model.evaluate(dataset, batch_size=batch_size, window=window)
    if as_json:
        described = {"model": model_folder, "class": type(model).__name__, "task": model.task.name, "data": data}
        described |= {"split": split, "clean": clean, "rows": len(dataset), **report.to_dict()}
        typer.echo(to_json({**described, **({"constant_baseline": baseline.to_dict()} if baseline else {})}))
    else:
        typer.echo(metric_table({"model": report, **({"constant": baseline} if baseline else {})}))
