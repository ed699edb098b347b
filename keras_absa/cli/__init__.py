"""The command line: `keras-absa train | evaluate | predict | export | data | doctor`, one command a file.

Nothing here imports TensorFlow before a command needs it, so that `--help` and `doctor` work without it.
"""

import os
from typing import Annotated

import typer

import keras_absa
from keras_absa.cli.command_group import CommandGroup
from keras_absa.cli.data import data
from keras_absa.cli.doctor import doctor
from keras_absa.cli.evaluate import evaluate
from keras_absa.cli.export import export
from keras_absa.cli.predict import predict
from keras_absa.cli.train import train

__all__ = ["app", "main"]

app = typer.Typer(
    cls=CommandGroup, add_completion=False, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False
)
for command in (train, evaluate, predict, export, doctor):
    app.command()(command)
app.add_typer(data, name="data")


def _print_version(asked: bool):
    if asked:
        typer.echo(f"keras-absa {keras_absa.__version__}")
        raise typer.Exit()


@app.callback()
def options(
    ctx: typer.Context,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="KERAS_ABSA_DEBUG", help="Show the traceback of an error.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
):
    """Aspect-based sentiment analysis: train a model, score it, ask it, and export it for a server.

    \b
    Examples:
      keras-absa doctor
      keras-absa data report reviews/
      keras-absa train --data restaurants --output runs/first --epochs 2
      keras-absa evaluate runs/first/model --data restaurants
      echo "The soup was cold." | keras-absa predict runs/first/model
      keras-absa export runs/first/model saved_models/first

    \b
    Exit codes:
      0  all went well; also if the reader of a pipe left early
      1  there are findings: lines that `predict` or `data report` could not use, problems that `doctor` found
      2  the command, a file or the environment cannot be used as it is; stderr says why
    """
    ctx.obj = {"debug": debug}


def main() -> None:
    """The entry point of the command `keras-absa`."""
    # Read when TensorFlow starts: the same seed gives the same weights, and an interrupted training goes on exactly.
    os.environ.setdefault("TF_DETERMINISTIC_OPS", "1")
    app(prog_name="keras-absa")
