# Every chore is one command; each makes .venv itself, from the lock files, on Python 3.11 or newer.

PROJECT ?= examples/magazine
TESTS ?= tests
BIN := .venv/bin
READY := .venv/.ready

# The newest suitable Python, unless PYTHON names one.
FIND_PYTHON = for name in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$name"; break; }; done

.DEFAULT_GOAL := help
.PHONY: help run test lint format types bench clients docs lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

run: $(READY) ## Serve the sample project with its sample content
	$(BIN)/octavo develop --project $(PROJECT) --seed

test: $(READY) ## Run the tests (TESTS=tests/schema for a part)
	$(BIN)/python -m pytest -q -n auto $(TESTS)

lint: $(READY) ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## Put formatting and imports in order
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

types: $(READY) ## Check types
	$(BIN)/mypy

bench: $(READY) ## Measure each stop of the road
	$(BIN)/python -m benchmarks

clients: $(READY) ## Run client libraries of v4 against the sample project (needs Node.js)
	$(BIN)/python -m tests.clients.run

docs: $(READY) ## Write the pages that are made from the code
	$(BIN)/python -m octavo.settings.reference > docs/settings.md
	$(BIN)/python -m octavo.cli.reference > docs/command-line.md

lock: $(READY) ## Pin the newest suitable versions of what requirements/*.in name
	$(BIN)/python requirements/lock.py

clean: ## Remove everything that was made
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements/dev.txt
	@python=$$($(FIND_PYTHON)); \
	if [ -z "$$python" ]; then \
		echo "Octavo needs Python 3.11 or newer. Install it, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; \
	fi; \
	rm -rf .venv; \
	echo "Making .venv with $$("$$python" --version), once"; \
	"$$python" -m venv .venv || { \
		echo "This Python cannot make virtual environments. On Debian or Ubuntu: sudo apt install python3-venv" >&2; \
		rm -rf .venv; exit 1; \
	}
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
