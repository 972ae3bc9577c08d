# Every target sets up .venv by itself; it is renewed only when pyproject.toml changes.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2

# Notebooks are kept without outputs, except those that show a benchmark's figures.
BARE_NOTEBOOKS := $(filter-out notebooks/bench%,$(wildcard notebooks/*.ipynb))

# In a container one is often root, which Jupyter refuses without this.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

.PHONY: help demo lab test check long lint clean

help:
	@echo "make demo    run the quickstart notebook and print its table; notebook and figures go to build/"
	@echo "make lab     open JupyterLab on notebooks/"
	@echo "make check   ruff, mypy and the quick tests (under two minutes)"
	@echo "make test    ruff, mypy and all tests but the long ones"
	@echo "make long    the long tests: generated programs, big budgets, real sizes"
	@echo "PYTHON=...   the interpreter that makes .venv (now: $(PYTHON))"

demo: $(READY)
	$(BIN)/python -m dfad_magics.demo

lab: $(READY)
	$(BIN)/python -m jupyterlab $(AS_ROOT) notebooks

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) -m "not long"

check: lint
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not long"

long: $(READY)
	$(BIN)/python -m pytest -m long --durations=20

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(if $(BARE_NOTEBOOKS),$(BIN)/nbstripout --verify $(BARE_NOTEBOOKS))

$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) not found: install Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) has no venv: on Debian, apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[notebook,jax,bench,test]"
	@touch $@

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .hypothesis
