"""Installs keras-absa. The base is what training and exporting need; everything else is an extra."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (ROOT / "keras_absa" / "__init__.py").read_text("utf-8")).group(1)

setup(
    name="keras-absa",
    version=VERSION,
    description="Keras models for aspect-based sentiment analysis, from raw reviews to a served model",
    long_description=(ROOT / "README.md").read_text("utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.10,<3.14",
    packages=find_packages(include=["keras_absa", "keras_absa.*"]),
    package_data={"keras_absa.serving": ["op_definitions_2_12.json"]},
    install_requires=[
        # These four move together: see keras_absa/environment.py, which checks them.
        "tensorflow>=2.21,<2.22",
        "tf-keras>=2.21,<2.22",
        "tensorflow-text>=2.21,<2.22",
        "transformers>=4.51,<4.55",
        "safetensors>=0.4.3",
        "numpy>=1.26",
        "typer>=0.19",
        "rich>=13",
    ],
    extras_require={
        "gpu": ["tensorflow[and-cuda]>=2.21,<2.22"],
        "serving": ["tensorflow-serving-api>=2.19"],
        "knowledge": ["spacy-lookups-data>=1.0.5"],
        "plot": ["matplotlib>=3.8"],
        "demo": ["gradio>=5"],
        "scale": ["apache-beam>=2.60", "pyarrow>=16"],
        "tutorials": ["ipykernel>=6", "matplotlib>=3.8", "nbmake>=1.5"],
        "dev": [
            "datasets>=3,<5",  # 5.x wants a huggingface-hub that transformers 4 does not take
            "matplotlib>=3.8",
            "pandas>=2",
            "pyarrow>=16",
            "pytest>=8",
            "pytest-xdist>=3.7",
            "ruff>=0.6",
            "scikit-learn>=1.4",
        ],
    },
    entry_points={"console_scripts": ["keras-absa=keras_absa.cli:main"]},
)
