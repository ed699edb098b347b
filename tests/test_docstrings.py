"""The examples in the docstrings are run, and every public name has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import keras_absa

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(keras_absa.__path__, "keras_absa.")
    if not module.name.endswith("__main__")
)
PUBLIC = ("data", "explain", "knowledge", "layers", "metrics", "models", "serving", "text", "training")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("package", PUBLIC)
def test_public_names_say_how_they_are_used(package):
    module = importlib.import_module(f"keras_absa.{package}")
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
            assert ">>>" in thing.__doc__, f"{package}.{name} has no runnable example"
