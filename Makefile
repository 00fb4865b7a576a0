# Every chore is one command; each installs what it needs into .venv, from the lock files, on Python 3.11 to 3.14.

PROJECT ?= examples/magazine
TESTS ?= tests
MINUTES ?= 15
SOAK ?=
DRILL ?=
PEERS ?=
ARGS ?=
VENV ?= .venv
FAST := not browser and not mysql and not postgresql and not recording and not slow and not cluster
BIN := $(VENV)/bin
# Stamps: what running needs is installed; what development needs is, too.
RUN := $(VENV)/.run
DEV := $(VENV)/.dev
# The command of the Python that .venv is made with, found if it is not named.
PYTHON ?=
export PYTHON
# Each worker of the tests would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run check collect test retest cluster-test lint format types bench bench-pages bench-large bench-peers soak drill clients docs docs-site pages lock release clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: $(RUN) ## Serve the sample project with its sample content
	$(BIN)/octavo develop --project $(PROJECT) --seed

check: $(DEV) ## Check style and types, and run the fast tests (three minutes on two processors; no browser, no PostgreSQL, no MySQL)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -n logical -m "$(FAST)" $(TESTS)

collect: $(DEV)
	@$(BIN)/python -m pytest -q --collect-only -p no:cacheprovider $(TESTS) >$(VENV)/.collected || { cat $(VENV)/.collected; exit 1; }
	@tail -n 1 $(VENV)/.collected

test: $(DEV) ## Run the tests (TESTS=tests/schema for a part)
	@rm -f $(VENV)/.tested
	$(BIN)/python -m pytest -q -n auto $(TESTS) || { echo $$? >$(VENV)/.tested; exit 1; }

retest: $(DEV) ## Run the tests that failed last, one after the other
	$(BIN)/python -m pytest -q --last-failed --last-failed-no-failures none $(TESTS)

cluster-test: $(DEV) ## Test behind HAProxy, Varnish, PgBouncer, nginx and Caddy (installs none of them)
	$(BIN)/python -m pytest -q tests/cluster

lint: $(DEV) ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(DEV) ## Put formatting and imports in order
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

types: $(DEV) ## Check types
	$(BIN)/mypy

bench: $(DEV) ## Measure the steps of a request
	$(BIN)/python -m benchmarks

bench-pages: $(DEV) ## Measure the pages of administrators in a browser
	$(BIN)/python -m benchmarks.pages

bench-large: $(DEV) ## Measure 10,000 articles against 1,000,000 (several GB, half an hour)
	$(BIN)/python -m benchmarks.large

bench-peers: $(DEV) ## Compare with PostGraphile, Directus and Strapi (PEERS=folder of their packages; see docs/performance.md)
	PEERS="$(PEERS)" $(BIN)/python -m benchmarks.peers measure $(ARGS)

soak: $(DEV) ## Break this and that under load: is it flat, is nothing lost? (MINUTES=15, SOAK=--postgresql)
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES) $(SOAK)

drill: $(DEV) ## Rehearse outages, restarts and deployments on two nodes behind nginx (needs nginx, a few minutes; DRILL=--help)
	$(BIN)/python -m benchmarks.drill $(DRILL)

clients: $(DEV) ## Run client libraries and `octavo types` against the sample project (needs Node.js 20 and npm)
	$(BIN)/python -m tests.clients.run

docs: $(DEV) ## Write the pages that are made from the code
	$(BIN)/python -m octavo.settings.reference > docs/settings.md
	$(BIN)/python -m octavo.cli.reference > docs/command-line.md
	$(BIN)/python -m octavo.api_reference > docs/python-api.md

docs-site: $(DEV) ## Build the documentation site into build/docs-site, with search
	$(BIN)/python scripts/docs_site.py

pages: $(DEV) ## Build the pages of administrators from admin/ (needs Node.js 20 and npm)
	$(BIN)/python -m octavo.api.admin.contract > admin/src/api/operations.ts
	cd admin && npm ci --silent && npm run --silent check && npm run --silent build
	$(BIN)/python scripts/pages.py stamp

lock: $(DEV) ## Pin the newest suitable versions of what requirements/*.in name
	$(BIN)/python requirements/lock.py

release: $(DEV) ## Build, check and tag a version: VERSION=1.2.0, DRY=1 to try (uploads nothing)
	$(BIN)/python scripts/release.py "$(VERSION)"

clean: ## Remove all generated files
	rm -rf .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN): requirements/run.txt
	@python=$$(scripts/pythons one) || exit 1; \
	if [ -e $(VENV)/pyvenv.cfg ]; then rm -rf $(VENV); fi; \
	echo "Making $(VENV) with $$("$$python" --version)"; \
	"$$python" -m venv --without-pip $(VENV)
	@$(BIN)/python requirements/install.py run
	@touch $@

$(DEV): requirements/dev.txt $(RUN)
	@$(BIN)/python requirements/install.py dev
	@touch $@
