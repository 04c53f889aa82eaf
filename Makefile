# `make figures` and `make test` need Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed

.PHONY: help figures report verify test test-slow lint docs experiment lock clean
.DEFAULT_GOAL := help

help:
	@echo "make figures   rebuild every figure at full scale into figures/, and the audit"
	@echo "make report    everything in one file to open in a browser, report.html"
	@echo "make test      run the test suite"
	@echo "make test-slow 20 more kills and every kind of damage, in about ten minutes"
	@echo "make verify    name every file in results/ and figures/ that is not what was written"
	@echo "make lint      ruff, snakefmt, snakemake --lint, mypy on the public face"
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

test: $(INSTALLED)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pytest

report: figures
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/snakemake figures/all audit --report report.html

test-slow: $(INSTALLED)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pytest -m slow

verify: $(INSTALLED)
	$(BIN)/python -m attnsvm.files.verify

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/mypy
	$(BIN)/python -m attnsvm.pipeline.documents --check

docs: $(INSTALLED)
	$(BIN)/python -m attnsvm.pipeline.documents

experiment: $(INSTALLED)
	@$(BIN)/python -m attnsvm.pipeline.scaffold "$(NAME)"

lock:
	rm -rf $(VENV)-lock
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet torch==2.13.0
	$(VENV)-lock/bin/python -m pip install --quiet -e '.[pipeline,dev,cluster,storage]'
	sed -n '/^#/p' requirements.lock > requirements.lock.new
	$(VENV)-lock/bin/python -m pip freeze --all --exclude-editable --exclude pip | sed 's/+cpu$$//' >> requirements.lock.new
	mv requirements.lock.new requirements.lock
	rm -rf $(VENV)-lock

clean:
	rm -rf results smoke .snakemake report.html
	find figures -mindepth 1 -maxdepth 1 ! -name README.md ! -name gallery -exec rm -rf {} +
