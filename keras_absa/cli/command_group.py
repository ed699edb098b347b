"""What all commands share: errors of the user without a traceback, and a TensorFlow that keeps quiet."""

import contextlib
import os
import sys
import tempfile
import traceback
import warnings

import typer
from typer.core import TyperGroup

INPUT_ERROR = 2
FINDINGS = 1
STOPPED = 130  # by Ctrl-C, as shells count


class CommandGroup(TyperGroup):
    """Turns errors that a user can cause into one message on stderr and exit code 2.

    With `--debug` the traceback comes first. Any other exception is a mistake of ours and keeps its traceback.
    """

    def invoke(self, ctx):
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except BrokenPipeError:
            # The reader has what it wanted. Python flushes stdout once more when it ends, into nothing now.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except (ValueError, OSError, ImportError) as error:
            if (ctx.obj or {}).get("debug"):
                traceback.print_exc()
            tell(f"error: {_readable(error)}")
            raise typer.Exit(INPUT_ERROR) from None


def _readable(error: Exception) -> str:
    """The message; that of the operating system as a sentence that begins with the path."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}. Check the path and who may read and write there."
    return str(error)


def tell(message: str) -> None:
    """Says something to the person at the terminal; stdout belongs to results."""
    typer.echo(f"keras-absa: {message}", err=True)


def quiet_tensorflow() -> None:
    """Checks the environment and imports TensorFlow without its start-up messages; call it before other imports."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with _held_back_stderr():
        import keras_absa.keras  # noqa: F401  (checks the environment first)

        import tensorflow as tf  # isort: skip
        import tensorflow_text  # noqa: F401  (greets like TensorFlow)
        from transformers.utils import logging as transformers_logging

        from keras_absa.devices import grow_gpu_memory

    grow_gpu_memory()
    tf.get_logger().setLevel("ERROR")
    transformers_logging.set_verbosity_error()


@contextlib.contextmanager
def _held_back_stderr():
    """Libraries that log before they can be told not to are muted; what they said is shown if an exception follows."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as held, os.fdopen(os.dup(2), "wb") as stderr:
        os.dup2(held.fileno(), 2)
        try:
            yield
        except BaseException:
            held.seek(0)
            stderr.write(held.read())
            raise
        finally:
            sys.stderr.flush()
            os.dup2(stderr.fileno(), 2)


def _show_warning(message, category, filename, lineno, file=None, line=None):
    if issubclass(category, UserWarning):
        tell(f"warning: {message}")
