# `make figures`, `make all` and `make test` need Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
# TORCH=cpu: torch without CUDA, 3.6 GB less on Linux. Its wheels have a version of their own, which pip prefers.
TORCH ?=
INDEX = $(if $(filter cpu,$(TORCH)),--extra-index-url https://download.pytorch.org/whl/cpu)
CHECK = attnsvm/pipeline/first_use/preflight.py --venv "$(VENV)" --torch "$(TORCH)"

# The address of this repository stands in these, in the words of each format, and nowhere else.
ADDRESSED = pyproject.toml CITATION.cff

.PHONY: help check install figures all elsewhere report paper site compare verify test test-fast test-slow lint docs gallery experiment lock address clean
.DEFAULT_GOAL := help

help:
	@echo "make check     before anything is installed: what is missing, and how long the build will take"
	@echo "make install   the locked requirements into $(VENV); the targets below install it by themselves"
	@echo "make figures   the figures of the paper at full scale, into figures/, and its claims, results/audit/paper.html"
	@echo "make all       every figure, and the whole audit, results/audit/audit.html"
	@echo "make elsewhere every claim under other settings, results/audit/elsewhere.html: longer than all figures"
	@echo "make report    everything in one file to open in a browser, report.html"
	@echo "make paper     the manuscript with the numbers of this machine's figures, paper/attnsvm.pdf"
	@echo "make site      a website of everything, site/index.html: gallery, audit, explorer, documentation"
	@echo "make test      run the test suite; PART=mathematics, engine, pipeline, workflow or cluster: one part"
	@echo "make test-fast the mathematics alone, without the compiled engine and the pipeline"
	@echo "make test-slow 20 more kills, every kind of damage, a soak of 200 steps, a cluster that fails, 500 jobs: in about an hour"
	@echo "make compare   for every built figure: are its numbers those of the release?"
	@echo "make verify    name every file in results/ and figures/ that has changed since it was written"
	@echo "make lint      ruff, snakefmt, snakemake --lint, mypy on the public face and on the rooms that pyproject.toml names"
	@echo "make docs      docs/figures.md, the README's verdicts, the gallery: from the cards, with the pictures of new figures"
	@echo "make gallery   make docs, and every picture of the gallery and profiles/times.json again from the built figures"
	@echo "make experiment NAME=my_conjecture   a folder for a new experiment, which runs as it is"
	@echo "make lock      resolve pyproject.toml again into requirements.lock"
	@echo "make address   set the address of this repository: that of git's remote, or URL=https://github.com/me/attnsvm"
	@echo "make clean     delete what was built: results/, smoke/, site/, crate/, the figures (not $(VENV), not the gallery)"
	@echo "PYTHON=python3.12 and VENV=folder choose the interpreter and the environment; TORCH=cpu installs torch without CUDA."

check:
	@command -v "$(PYTHON)" > /dev/null \
		|| { echo "error: there is no $(PYTHON); choose one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@"$(PYTHON)" $(CHECK)

install: $(INSTALLED)

$(INSTALLED): requirements.lock requirements-cuda.lock pyproject.toml
	@command -v "$(PYTHON)" > /dev/null \
		|| { echo "error: there is no $(PYTHON); choose one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@"$(PYTHON)" $(CHECK) --quiet
	$(PYTHON) -m venv --clear --prompt attnsvm $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(INDEX) -r requirements.lock -c requirements-cuda.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

figures: $(INSTALLED)
	PATH="$(abspath $(BIN)):$$PATH" "$(BIN)/snakemake" figures/paper

all: $(INSTALLED)
	PATH="$(abspath $(BIN)):$$PATH" "$(BIN)/snakemake" figures/all audit

# A file of tests is given to one of several processes as a whole, in the order of tests/conftest.py. Three processes suit two
# cores, since one of them mostly waits for the cluster. The mathematics and the engine never wait: there two are quicker.
PYTEST = PATH="$(abspath $(BIN)):$$PATH" OMP_NUM_THREADS=1 $(BIN)/python -m pytest
SIDE_BY_SIDE = -n $(if $(filter mathematics engine,$(PART)),2,3) --dist loadfile --no-loadscope-reorder
# The parts of the suite, which CI runs side by side: make test PART=workflow
PARTS = mathematics engine pipeline workflow cluster
PART ?=
# These files of tests/experiments compile loops, too.
COMPILED = adam adam_time attention_variants cone convergence_types factors generalisation geometries graph_limits \
	hierarchy hyperplanes induction joint joint_mixing joint_tail known_answers ladder law_of_layers layer_shapes layers_beyond \
	local_convergence mirror_descent multi_token one_norm other_steps penalised_head real_tokens refused_settings \
	rest_or_grow router row_ends rules_layers saturated_sets selection_by_rule several_heads two_stages
engine = tests/training tests/geometry tests/experiments/theory $(COMPILED:%=tests/experiments/test_%.py)
pipeline = $(filter-out %__pycache__ tests/pipeline/cluster,$(wildcard tests/pipeline/*)) $(filter-out %__pycache__ tests/publish/site,$(wildcard tests/publish/*)) tests/project
workflow = tests/workflow tests/experiments/test_every_smoke_run.py tests/plots/test_built_figures.py
cluster = tests/pipeline/cluster tests/publish/site
mathematics = tests $(patsubst %,--ignore=%,$(engine) $(pipeline) $(workflow) $(cluster))

test: $(INSTALLED)
	$(if $(filter-out $(PARTS),$(PART)),$(error PART=$(PART): the parts are $(PARTS)))
	$(PYTEST) $(SIDE_BY_SIDE) $($(PART))

test-fast: PART = mathematics
test-fast: test

elsewhere: $(INSTALLED)
	PATH="$(abspath $(BIN)):$$PATH" "$(BIN)/snakemake" elsewhere/all

report: all
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/snakemake report --report report.html

paper: all
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/snakemake paper

site: all
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/snakemake site

test-slow: $(INSTALLED)
	$(PYTEST) -m slow

compare: $(INSTALLED)
	@$(BIN)/attnsvm compare

verify: $(INSTALLED)
	$(BIN)/python -m attnsvm.pipeline.verify

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/mypy
	$(BIN)/python -m attnsvm.publish.documents.docs --check

docs: $(INSTALLED)
	$(BIN)/python -m attnsvm.publish.documents.docs

gallery: $(INSTALLED)
	$(BIN)/python -m attnsvm.publish.documents.docs --anew

experiment: $(INSTALLED)
	@$(BIN)/python -m attnsvm.pipeline.first_use.scaffold "$(NAME)"

lock:
	rm -rf $(VENV)-lock
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet torch==2.13.0 -c requirements-cuda.lock
	$(VENV)-lock/bin/python -m pip install --quiet -e '.[pipeline,dev,cluster,models,paper,site,archive,storage]'
	sed -n '/^#/p' requirements.lock > requirements.lock.new
	$(VENV)-lock/bin/python -m pip freeze --all --exclude-editable --exclude pip | sed 's/+cpu$$//' >> requirements.lock.new
	mv requirements.lock.new requirements.lock
	rm -rf $(VENV)-lock

address:
	@url="$(URL)"; test -n "$$url" || url="$$(git remote get-url origin 2> /dev/null \
		| sed -E 's|^(ssh://)?git@([^:/]+)[:/]|https://\2/|; s|\.git$$||')"; \
	case "$$url" in https://*) ;; *) echo "error: git has no remote origin with an address to take; say which:" \
		"make address URL=https://github.com/me/attnsvm" >&2; exit 1;; esac; \
	old="$$(sed -n 's/^Repository = "\(.*\)"$$/\1/p' pyproject.toml)" && for file in $(ADDRESSED); do \
		sed "s|$$old|$$url|g" $$file > $$file.new && cat $$file.new > $$file && rm $$file.new; done

clean:
	rm -rf results smoke site crate .snakemake report.html paper/attnsvm.pdf paper/software/paper.md
	find figures -mindepth 1 -maxdepth 1 ! -name README.md ! -name gallery -exec rm -rf {} +
