# `make figures` and `make test` need Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed

.PHONY: help figures report verify test test-fast test-slow lint docs experiment lock clean
.DEFAULT_GOAL := help

help:
	@echo "make figures   rebuild every figure at full scale into figures/, and the audit"
	@echo "make report    everything in one file to open in a browser, report.html"
	@echo "make test      run the test suite"
	@echo "make test-fast its mathematics alone, in about a minute"
	@echo "make test-slow 20 more kills and every kind of damage, in about ten minutes"
	@echo "make verify    name every file in results/ and figures/ that is not what was written"
	@echo "make lint      ruff, snakefmt, snakemake --lint"
	@echo "make docs      docs/figures.md, the README's table, the gallery: from the cards and the built figures"
	@echo "make experiment NAME=my_conjecture   a folder for a new experiment, which runs as it is"
	@echo "make lock      resolve pyproject.toml anew into requirements.lock"
	@echo "make clean     delete what was built: results/, smoke/, the figures (not $(VENV), not the gallery)"
	@echo "PYTHON=python3.12 and VENV=folder choose the interpreter and the environment."

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "attnsvm needs Python >= 3.11; choose one with 'make PYTHON=python3.12 ...'."; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

figures: $(INSTALLED)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/snakemake figures/all audit

# Two processes; a file of tests is given to one of them as a whole, in the order of tests/conftest.py.
PYTEST = PATH="$(abspath $(BIN)):$$PATH" OMP_NUM_THREADS=1 $(BIN)/python -m pytest
SIDE_BY_SIDE = -n 2 --dist loadfile --no-loadscope-reorder
NO_MATHEMATICS = cluster files pipeline project workflow

test: $(INSTALLED)
	$(PYTEST) $(SIDE_BY_SIDE)

test-fast: $(INSTALLED)
	$(PYTEST) $(SIDE_BY_SIDE) -m "not slow and not chain" $(NO_MATHEMATICS:%=--ignore=tests/%)

report: figures
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/snakemake figures/all audit --report report.html

test-slow: $(INSTALLED)
	$(PYTEST) -m slow

verify: $(INSTALLED)
	$(BIN)/python -m attnsvm.files.verify

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/python -m attnsvm.pipeline.documents --check

docs: $(INSTALLED)
	$(BIN)/python -m attnsvm.pipeline.documents

experiment: $(INSTALLED)
	@$(BIN)/python -m attnsvm.pipeline.scaffold "$(NAME)"

lock:
	rm -rf $(VENV)-lock
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet torch==2.13.0
	$(VENV)-lock/bin/python -m pip install --quiet -e '.[dev,cluster]'
	sed -n '/^#/p' requirements.lock > requirements.lock.new
	$(VENV)-lock/bin/python -m pip freeze --all --exclude-editable --exclude pip | sed 's/+cpu$$//' >> requirements.lock.new
	mv requirements.lock.new requirements.lock
	rm -rf $(VENV)-lock

clean:
	rm -rf results smoke .snakemake report.html
	find figures -mindepth 1 -maxdepth 1 ! -name README.md ! -name gallery -exec rm -rf {} +
