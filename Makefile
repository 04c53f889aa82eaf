# `make figures`, `make all` and `make test` need Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV ?= .venv
# TORCH=cpu: torch without CUDA, 3.6 GB less on Linux.
TORCH ?=
PART ?=
NAME =
URL =
# As they were typed: make runs nothing in them, and the recipes read them from the environment, where no shell does.
override PYTHON := $(value PYTHON)
override VENV := $(value VENV)
override TORCH := $(value TORCH)
override PART := $(value PART)
override NAME := $(value NAME)
override URL := $(value URL)
export PYTHON VENV TORCH PART NAME URL

# What decides, writes and deletes is Python: attnsvm/pipeline/first_use.
FOUND = command -v -- "$$PYTHON" > /dev/null \
	|| { printf 'error: there is no %s; choose one with: make PYTHON=python3.12 ...\n' "$$PYTHON" >&2; exit 1; }
RECIPE = $(FOUND); exec "$$PYTHON" attnsvm/pipeline/first_use/recipes.py
IN_VENV = bin="$$(CDPATH= cd -- "$$VENV/bin" && pwd)" && PATH="$$bin:$$PATH"

.PHONY: help check install figures all elsewhere report paper site compare verify test test-fast test-slow lint docs gallery experiment lock address clean
.DEFAULT_GOAL := help

help:
	@echo "make check     before anything is installed: what is missing, and how long the build will take"
	@echo "make install   the locked requirements into $$VENV; the targets below install it by themselves"
	@echo "make figures   the figures of the paper at full scale, into figures/, and its claims, results/audit/paper.html"
	@echo "make all       every figure, and the whole audit, results/audit/audit.html"
	@echo "make elsewhere every claim under other settings, results/audit/elsewhere.html: longer than all figures"
	@echo "make report    everything in one file to open in a browser, report.html"
	@echo "make paper     the manuscript with the numbers of this machine's figures, paper/attnsvm.pdf"
	@echo "make site      a website of everything, site/index.html: gallery, audit, explorer, documentation"
	@echo "make test      run the test suite; PART=mathematics, engine, reading, pipeline or workflow: one part of it"
	@echo "               CI runs three parts more. PART=house: the smoke run of every experiment, where make test has a few"
	@echo "               PART=cluster: a cluster, a bucket, a browser; PART=hostile: kills, damage, strange files and machines"
	@echo "make test-fast the mathematics alone, without the compiled engine, claims, models and the pipeline"
	@echo "make test-slow 20 more kills, every kind of damage, a soak of 200 steps, a cluster that fails, 500 jobs: in about an hour"
	@echo "make compare   for every built figure: are its numbers those of the release?"
	@echo "make verify    name every file in results/ and figures/ that has changed since it was written"
	@echo "make lint      ruff, snakefmt, snakemake --lint, mypy on the public face and on the rooms that pyproject.toml names"
	@echo "make docs      docs/figures.md, the README's verdicts, the gallery: from the cards, with the pictures of new figures"
	@echo "make gallery   make docs, and every picture of the gallery and profiles/times.json again from the built figures"
	@echo "make experiment NAME=my_conjecture   a folder for a new experiment, which runs as it is"
	@echo "make lock      resolve pyproject.toml again into requirements.lock"
	@echo "make address   set the address of this repository: that of git's remote, or URL=https://github.com/me/attnsvm"
	@echo "make clean     delete what was built: results/, smoke/, site/, crate/, the figures (not $$VENV, not the gallery)"
	@echo "PYTHON=python3.12 and VENV=folder choose the interpreter and the environment; TORCH=cpu installs torch without CUDA."

check:
	@$(FOUND); "$$PYTHON" attnsvm/pipeline/first_use/preflight.py --venv "$$VENV" --torch "$$TORCH"

install:
	@$(RECIPE) install

figures: install
	$(IN_VENV) "$$bin/snakemake" figures/paper

all: install
	$(IN_VENV) "$$bin/snakemake" figures/all audit

# A file of tests is given to one of several processes as a whole, in the order of tests/conftest.py. Three processes suit two
# cores, since one of them often waits for what it started. Three parts never wait: there two are quicker.
PYTEST = $(IN_VENV) OMP_NUM_THREADS=1 "$$bin/python" -m pytest
SIDE_BY_SIDE = -n $(if $(filter mathematics engine reading,$(PART)),2,3) --dist loadfile --no-loadscope-reorder
# The parts of the suite, which CI runs side by side: make test PART=workflow
PARTS = mathematics engine reading pipeline workflow house cluster hostile
# These files of tests/experiments compile loops, too.
COMPILED = adam_time attention_variants cone convergence_types generalisation geometries \
	hierarchy hyperplanes induction joint joint_mixing joint_tail ladder law_of_layers layer_shapes layers_beyond \
	local_convergence merging mirror_descent multi_token norm_growth one_norm other_steps penalised_head refused_settings \
	rest_or_grow router row_ends rules_layers saturated_sets selection_by_rule several_heads
engine = tests/training tests/geometry tests/experiments/theory $(COMPILED:%=tests/experiments/test_%.py)
# What is read: claims, cards, pictures, models.
reading = tests/audit tests/inspect tests/plots/test_style.py tests/experiments/test_every_experiment.py
pipeline = $(filter-out %__pycache__ $(LEFT),$(wildcard tests/pipeline/* tests/publish/*)) tests/project
workflow = $(filter-out $(LEFT),$(wildcard tests/workflow/test_*.py))
# These three are CI's, and `make test` does not wait for them. The smoke run of every experiment, and what asks it; what
# starts a cluster, a bucket or a browser; what is done to this software.
house = tests/experiments/test_every_smoke_run.py tests/plots/test_built_figures.py tests/plots/test_drawn_numbers.py $(addprefix tests/workflow/test_,new_experiment.py whole_house.py)
cluster = tests/pipeline/cluster tests/publish/site tests/inspect/test_inspect_browser.py $(addprefix tests/workflow/test_,bucket.py report.py)
hostile = tests/test_ends.py tests/test_files_of_strangers.py \
	tests/publish/exchange/test_bundles.py \
	$(patsubst %,tests/workflow/test_%.py,damage gone intermediates machines memory_grows only_snakemake resume)
LEFT = $(house) $(cluster) $(hostile)
mathematics = tests $(patsubst %,--ignore=%,$(engine) $(reading) $(pipeline) $(workflow) $(LEFT))
# A folder of one part may hold files of those that are left out.
CHOSEN = $(if $(PART),$($(PART)) $(patsubst %,--ignore=%,$(filter-out $($(PART)),$(LEFT))),tests $(LEFT:%=--ignore=%))

test: install
	$(if $(filter-out $(PARTS),$(PART))$(word 2,$(PART)),$(error PART: the parts are $(PARTS)))
	$(PYTEST) $(SIDE_BY_SIDE) $(CHOSEN)

test-fast: override PART = mathematics
test-fast: test

elsewhere: install
	$(IN_VENV) "$$bin/snakemake" elsewhere/all

report: all
	$(IN_VENV) "$$bin/snakemake" report --report report.html

paper: all
	$(IN_VENV) "$$bin/snakemake" paper

site: all
	$(IN_VENV) "$$bin/snakemake" site

test-slow: install
	$(PYTEST) -m slow

compare: install
	@$(IN_VENV) "$$bin/attnsvm" compare

verify: install
	$(IN_VENV) "$$bin/python" -m attnsvm.pipeline.verify

lint: install
	$(IN_VENV) "$$bin/ruff" check .
	$(IN_VENV) "$$bin/ruff" format --check .
	$(IN_VENV) "$$bin/snakefmt" --check Snakefile workflow
	$(IN_VENV) "$$bin/snakemake" --lint
	$(IN_VENV) "$$bin/mypy"
	$(IN_VENV) "$$bin/python" -m attnsvm.publish.documents.docs --check

docs: install
	$(IN_VENV) "$$bin/python" -m attnsvm.publish.documents.docs

gallery: install
	$(IN_VENV) "$$bin/python" -m attnsvm.publish.documents.docs --anew

experiment: install
	@$(IN_VENV) "$$bin/python" -m attnsvm.pipeline.first_use.scaffold "$$NAME"

lock:
	@$(RECIPE) lock

address:
	@$(RECIPE) address

clean:
	@$(RECIPE) clean
