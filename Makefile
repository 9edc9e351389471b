# Every target sets up what it needs in .venv (once), then does its work.

BIN := .venv/bin
READY := .venv/.ready
OUT := out/demo-$(shell date +%Y%m%d-%H%M%S)
export PYTHON

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo lab test check bench setup clean distclean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 16

demo: $(READY) ## a turn of a real deliberation: run live, audited, written as a page
	@mkdir -p out
	$(BIN)/workbench run bilayer --case aura_hub --lm local --turns 1 --searches 1 --out $(OUT).run.jsonl
	$(BIN)/workbench audit $(OUT).run.jsonl
	$(BIN)/workbench export $(OUT).run.jsonl --html $(OUT).html
	@printf '%s\n' '' \
		'The run:  $(OUT).run.jsonl' \
		'The page: file://$(CURDIR)/$(OUT).html' \
		'Next: make lab, and to step it there, in a cell of any notebook:' \
		'' \
		'    import workbench_widgets as ww' \
		'    ww.explorer("$(CURDIR)/$(OUT).run.jsonl", audit="$(CURDIR)/$(OUT).audit.run.jsonl")' \
		'' \
		'For the command workbench in this shell: . .venv/bin/activate'

lab: $(READY) ## JupyterLab on the notebooks
	@$(BIN)/jupyter trust notebooks/*.ipynb >/dev/null # or Jupyter takes the pictures out
	$(BIN)/jupyter lab --ServerApp.ip=127.0.0.1 --ServerApp.root_dir="$(CURDIR)" \
		--LabApp.default_url=/lab/tree/notebooks/01_step_a_run.ipynb \
		$(if $(CI),--no-browser) $(if $(filter 0,$(shell id -u)),--allow-root)

# Warnings are errors, as pyproject.toml says. What takes long is told before the last line.
test: lint ## linters, then every test
	$(BIN)/python -m pytest --durations=15

check: lint ## linters, types and the layers: a minute before a commit
	$(BIN)/python -m pytest -q tests/test_layers.py tests/test_api.py tests/test_packaging.py

.PHONY: lint
lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(READY) ## the speed and memory measurements
	$(BIN)/python benchmarks

setup: $(READY) ## only set up .venv

# The stamp is older than its sources after they change; pip then installs only what is missing.
$(READY): pyproject.toml Makefile scripts/setup
	@scripts/setup
	@touch $@

clean: ## remove caches and builds, not .venv or your runs in out/
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove .venv as well
	rm -rf .venv
