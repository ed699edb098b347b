"""`keras-absa export`: a saved model to a SavedModel that takes strings."""

from pathlib import Path
from typing import Annotated

import typer

from keras_absa.cli.command_group import quiet_tensorflow
from keras_absa.cli.json_output import to_json


def export(
    model_folder: Annotated[Path, typer.Argument(help="What `train` wrote: runs/NAME/model.")],
    destination: Annotated[Path, typer.Argument(help="The served model's folder; a version is added in it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
):
    """Write a SavedModel that takes raw texts; of a joint encoder also frames or waveforms.

    It goes into a new version folder, as TensorFlow Serving expects it, whose path is printed.

    \b
    Examples:
      keras-absa export runs/first/model saved_models/first
      keras-absa export runs/first/model saved_models/first --json
    """
    quiet_tensorflow()
    from keras_absa.models.load_model import load_model
    from keras_absa.serving import export as export_model

    folder = export_model(load_model(model_folder), str(destination))
    described = {"model": model_folder, "saved_model": folder, "name": destination.name, "version": folder.name}
    typer.echo(to_json(described) if as_json else str(folder))
