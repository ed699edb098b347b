"""Lets `keras.models.load_model` find this package's classes when only `import keras_absa` was run.

tf_keras 2.21 takes every module name in a saved model that begins with "keras" for Keras' own and puts "tf_" before it, so
that it looks for `tf_keras_absa.models`.
"""

import importlib
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

ALIAS = "tf_keras_absa"


class AliasFinder(MetaPathFinder, Loader):
    """Imports `tf_keras_absa.x` as a copy of `keras_absa.x`: other module objects that hold the same classes."""

    def find_spec(self, name, path=None, target=None):
        if name == ALIAS or name.startswith(f"{ALIAS}."):
            return ModuleSpec(name, self, is_package=True)
        return None

    def exec_module(self, module):
        real = vars(importlib.import_module(module.__name__.removeprefix("tf_")))
        vars(module).update({name: value for name, value in real.items() if not name.startswith("__")})
