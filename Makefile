# `make figures`, `make all` and `make test` need Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV ?= .venv
# TORCH=cuda: PyTorch for graphics cards from PyPI, with CUDA on Linux, instead of the processor's from its own index.
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

FOUND = command -v -- "$$PYTHON" > /dev/null \
	|| { printf 'error: there is no %s; choose one with: make PYTHON=python3.12 ...\n' "$$PYTHON" >&2; exit 1; }
CHECK = "$$PYTHON" attnsvm/pipeline/setup/environment_check.py --venv="$$VENV" --torch="$$TORCH"
IN_VENV = bin="$$(CDPATH= cd -- "$$VENV/bin" && pwd)" && PATH="$$bin:$$PATH"
LISTS = requirements.lock requirements-all.lock requirements-cuda.lock
WITHOUT_CUDA = https://download.pytorch.org/whl/cpu

# An environment for the content of the lists: made beside the one that is there, by uv where it is found, and put in its
# place when it is whole. Files are taken by their SHA-256, but PyTorch without CUDA by its version: we could not read the
# index that has it; pip also looks where it is set to look. An environment that had the tools, or CUDA, has them again.
# What ends make ends the step that runs.
FILL = at="$${VENV%/}"; had="$$(cat -- "$$at/.installed" 2> /dev/null)"; \
	case "$$had" in *requirements-all.lock*) list=requirements-all.lock ;; esac; \
	case "$$had" in *" cuda "*) torch="$${TORCH:-cuda}" ;; *) torch="$${TORCH:-cpu}" ;; esac; \
	lists="$$(cat $(LISTS) | cksum) $$list $$torch "; project="$$(cksum < pyproject.toml)"; \
	[ "$$had" != "$$lists$$project" ] || exit 0; \
	run() { echo "$$*"; "$$@" & trap "kill $$!; exit 143" TERM INT; wait $$!; }; \
	by_pip() { run env PIP_USER=0 "$$in/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "$$@"; }; \
	if command -v uv > /dev/null; then bring() { run uv pip install --quiet --python "$$in/bin/python" "$$@"; }; \
	else bring() { by_pip "$$@"; }; fi; \
	$(CHECK) --quiet || exit; set -e; in="$$at"; \
	case "$$had" in "$$lists"*) ;; *) \
		in="$$at.new"; rm -rf -- "$$in"; run "$$PYTHON" -m venv --prompt attnsvm -- "$$in"; \
		if [ "$$torch" = cuda ]; then bring --no-deps --require-hashes -r requirements-cuda.lock; \
		else by_pip --no-deps --index-url $(WITHOUT_CUDA) "$$(grep -o '^torch==[0-9.]*' requirements-cuda.lock)"; fi; \
		bring --no-deps --require-hashes -r "$$list" ;; \
	esac; \
	bring --no-deps --no-build-isolation -e .; \
	echo "$$lists$$project" > "$$in/.installed"; [ "$$in" = "$$at" ] || $(CHECK) --swap

.PHONY: help check install tools figures all elsewhere report paper site compare verify test test-fast test-slow test-snakemake lint docs gallery experiment lock address clean
.DEFAULT_GOAL := help
.NOTPARALLEL: # one environment is filled at a time

help:
	@echo "make check     before anything is installed: what is missing, and how long the build will take"
	@echo "make install   what every figure needs into $$VENV, by uv where it is found; the targets below install it by themselves"
	@echo "make figures   the figures of the paper at full scale, into figures/, and its claims, results/audit/paper.html"
	@echo "make all       every figure, and the whole audit, results/audit/audit.html"
	@echo "make elsewhere every claim under other settings, results/audit/elsewhere.html: longer than all figures"
	@echo "make experiment NAME=my_conjecture   a folder for a new experiment, which runs as it is"
	@echo "make report    everything in one file to open in a browser, report.html"
	@echo "make site      a website of everything, site/index.html: gallery, audit, explorer, documentation"
	@echo "make paper     our own manuscript about it, and not arXiv 2308.16898, with the numbers built here: paper/attnsvm.pdf"
	@echo "make compare   for every built figure: are its numbers those of the release?"
	@echo "make verify    name every file in results/ and figures/ that has changed since it was written"
	@echo "make clean     delete what was built, as its records say, in results/, smoke/, runs/, site/ and figures/; name what stays"
	@echo "PYTHON=python3.12 and VENV=folder choose the interpreter and the environment; TORCH=cuda installs PyTorch with CUDA, 3.6 GB more on Linux."
	@echo
	@echo "For whoever changes this project:"
	@echo "make test      the tests; PART=mathematics, engine, reading or pipeline: one part; PART=workflow, house, cluster or hostile: those left to CI"
	@echo "make test-fast, test-slow, test-snakemake   the mathematics alone; an hour more of kills and clusters; both ends of the Snakemakes allowed"
	@echo "make lint      ruff, snakefmt, snakemake --lint, mypy, the generated pages, the budgets of size"
	@echo "make docs      the README's verdicts, the gallery: from the cards, with the pictures of new figures"
	@echo "make gallery   make docs, and every picture of the gallery and profiles/times.json again from the built figures"
	@echo "make lock      resolve pyproject.toml into uv.lock, and that into requirements.lock, -all.lock and -cuda.lock"
	@echo "make address   set the address of this repository: that of git's remote, or URL=https://github.com/me/attnsvm"

check:
	@$(FOUND); $(CHECK)

install:
	@$(FOUND); list=requirements.lock; $(FILL)

# With all extras: what tests, pages and the manuscript need, too.
tools:
	@$(FOUND); list=requirements-all.lock; $(FILL)

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
COMPILED = adam_time attention_variants cone convergence_types geometries \
	hierarchy hyperplanes induction joint joint_mixing joint_tail law_of_layers layer_shapes layers_beyond \
	local_convergence merging mirror_descent multi_token norm_growth one_norm other_steps penalised_head refused_settings \
	rest_or_grow router row_ends rules_layers saturated_sets selection_by_rule several_heads
engine = tests/training tests/geometry tests/experiments/theory $(wildcard $(COMPILED:%=tests/experiments/test_%.py))
# What is read: claims, cards, pictures, models.
reading = tests/audit tests/inspect tests/plots/test_style.py tests/experiments/test_every_experiment.py
pipeline = $(filter-out %__pycache__ $(LEFT),$(wildcard tests/pipeline/* tests/publish/*)) tests/project
workflow = $(filter-out $(LEFT),$(wildcard tests/workflow/test_*.py))
# These three are CI's as `workflow` is, and `make test` does not wait for them. The smoke run of every experiment, and what asks it; what
# starts a cluster, a bucket or a browser; what is done to this software.
house = tests/experiments/test_every_smoke_run.py tests/plots/test_built_figures.py tests/plots/test_drawn_numbers.py $(addprefix tests/workflow/test_,new_experiment.py whole_house.py)
cluster = tests/pipeline/cluster tests/publish/site tests/inspect/test_inspect_browser.py $(addprefix tests/workflow/test_,bucket.py report.py)
hostile = tests/test_ends.py tests/test_untrusted_input.py \
	tests/publish/exchange/test_bundles.py \
	$(patsubst %,tests/workflow/test_%.py,damage intermediates machines memory_retry only_snakemake resume)
LEFT = $(house) $(cluster) $(hostile)
mathematics = tests $(patsubst %,--ignore=%,$(engine) $(reading) $(pipeline) $(workflow) $(LEFT))
# A folder of one part may hold files of those that are left out.
CHOSEN = $(if $(PART),$($(PART)) $(patsubst %,--ignore=%,$(filter-out $($(PART)),$(LEFT))),tests $(patsubst %,--ignore=%,$(workflow) $(LEFT)))

test: tools
	$(if $(filter-out $(PARTS),$(PART))$(word 2,$(PART)),$(error PART: the parts are $(PARTS)))
	$(PYTEST) $(SIDE_BY_SIDE) $(CHOSEN)

test-fast: override PART = mathematics
test-fast: test

elsewhere: install
	$(IN_VENV) "$$bin/snakemake" elsewhere/all

report: all
	$(IN_VENV) "$$bin/snakemake" report --report report.html

paper: tools all
	$(IN_VENV) "$$bin/snakemake" paper

site: tools all
	$(IN_VENV) "$$bin/snakemake" site

test-slow: tools
	$(PYTEST) -m slow

test-snakemake: tools
	$(PYTEST) -m "slow or not slow" tests/workflow/test_snakemake_versions.py

compare: install
	@$(IN_VENV) "$$bin/attnsvm" compare

verify: install
	$(IN_VENV) "$$bin/attnsvm" verify

lint: tools
	$(IN_VENV) "$$bin/ruff" check .
	$(IN_VENV) "$$bin/ruff" format --check .
	$(IN_VENV) "$$bin/snakefmt" --check Snakefile workflow
	$(IN_VENV) "$$bin/snakemake" --lint
	$(IN_VENV) "$$bin/mypy"
	$(IN_VENV) "$$bin/python" -m attnsvm.publish.documents.docs --check
	$(IN_VENV) "$$bin/python" tools/budgets.py

docs: tools
	$(IN_VENV) "$$bin/python" -m attnsvm.publish.documents.docs

gallery: tools
	$(IN_VENV) "$$bin/python" -m attnsvm.publish.documents.docs --anew

experiment: install
	@$(IN_VENV) "$$bin/attnsvm" experiment -- "$$NAME"

# uv.lock has every version and every SHA-256; newer ones: `uv lock --upgrade` before. pip reads the lists made of it.
EXPORT = uv export --quiet --locked --no-default-groups --no-emit-project --no-annotate --no-header
lock:
	@command -v uv > /dev/null || { echo 'error: make lock needs uv: pip install uv' >&2; exit 1; }
	uv lock
	new="$$(mktemp -d)" && trap 'rm -rf "$$new"' EXIT && set -e; $(EXPORT) --extra figures-all > "$$new/requirements.lock"; \
	$(EXPORT) --all-extras > "$$new/requirements-all.lock"; $(EXPORT) --extra cuda > "$$new/requirements-cuda.lock"; \
	for list in $(LISTS); do \
		awk -v this="$$list" '/^[a-z]/ { cuda = /^(torch|triton|cuda-|nvidia-)/ } cuda == (this ~ /cuda/)' "$$new/$$list" > "$$list"; \
	done

# In pyproject.toml, CITATION.cff, codemeta.json and codecheck.yml, and nowhere else: that of git's remote, as a browser takes it, without name and password.
address:
	@new="$${URL:-$$(git remote get-url origin 2> /dev/null | sed -E -e 's#^(ssh://([^@/]*@)?|git@)([^:/]+)(:[0-9]+/|[:/])/*#https://\3/#' \
		-e 's#^https://[^/@]*@#https://#' -e 's#(\.git)?/?$$##')}"; \
	new="$$(printf '%s' "$$new" | tr '[:cntrl:]' ' ')"; printf '%s' "$$new" | grep -qE '^https://[A-Za-z0-9_.-]+(:[0-9]+)?(/[A-Za-z0-9_.~+-]+)+$$' || { printf \
		'error: %s is no address; say which: make address URL=https://github.com/me/attnsvm\n' "'$$new'" >&2; exit 1; }; \
	old="$$(sed -n 's/^Repository = "\(https:[^"]*\)"$$/\1/p' pyproject.toml)"; [ -n "$$old" ] \
		|| { echo 'error: pyproject.toml: there is no line Repository = "https://..." to change' >&2; exit 1; }; \
	for file in pyproject.toml CITATION.cff codemeta.json codecheck.yml; do sed -i.old "s#$$old#$$new#g" "$$file" && rm "$$file.old" || exit 1; done

# What records say that a build made; what else lies there is named, and stays.
clean:
	@python="$$VENV/bin/python"; [ -x "$$python" ] || { $(FOUND); python="$$PYTHON"; }; "$$python" -B -m attnsvm.pipeline.setup.clean
