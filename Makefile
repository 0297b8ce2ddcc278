# What this project can do, one word each: `make help`. Works with GNU make 3.81 (macOS) and newer.
#
# Needs git, make and Python 3.11 or newer. Everything else goes into .venv, in the versions of requirements/.
# A second call finds its stamp file and installs nothing.

PYTHON ?=
PYTEST_ARGS ?= -n auto --dist worksteal -r fEsxX
BENCH_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install --quiet
# The build backend is in the lock file too, so pip need not fetch one.
INSTALL_SELF := $(PIP) --no-deps --no-build-isolation --editable .

# Without its caches every process of pytest compiles all tests, and every script that one starts compiles asyncdemo.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Lint, docs and tests read each other's results on the screen: one after another, also under -j.
.NOTPARALLEL:
.PHONY: help tour course lab test test-slow test-release test-lab test-browser test-all test-suites services lint docs wheel check pictures bench lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | awk -F'|' '{ printf "  make %-12s %s\n", $$1, $$2 }'

tour: $(VENV)/.tour ## set up, then the first lesson: predict how long ten sleeps take, and watch
	@$(BIN)/asyncdemo run two-sleeps
	@echo
	@echo "Here \`asyncdemo\` is $(BIN)/asyncdemo; after \`. $(BIN)/activate\` the short name works in this shell."

course: $(VENV)/.course ## what the other lessons need: servers, clients, databases (some minutes, 500 MB, once)
	@echo "All lessons can run now: $(BIN)/asyncdemo list"

lab: $(VENV)/.lab ## what the lab measures: the servers and frameworks of the five articles, on top of course
	@echo "The servers of the lab are installed."

test: $(VENV)/.dev ## the tests that are not marked slow (PYTEST_ARGS="-k name" for a part of them)
	@$(BIN)/python -m pytest -m "not slow and not release and not browser and not lab" $(PYTEST_ARGS)

test-slow: $(VENV)/.dev ## the other tests: real servers under load, terminals, processes that are killed
	@$(BIN)/python -m pytest -m "slow and not release and not browser and not lab" $(PYTEST_ARGS)

test-release: $(VENV)/.dev ## what only a release waits for: every wrong solution, each lesson on the second kind of server
	@$(BIN)/python -m pytest -m "release and not browser and not lab" $(PYTEST_ARGS)

test-lab: $(VENV)/.dev $(VENV)/.lab ## the tests of the lab's servers, those that need more than `make course` has
	@$(BIN)/python -m pytest -m lab $(PYTEST_ARGS)

test-browser: docs $(VENV)/.browser ## the site in Chromium, which is installed where that can be done (root, Debian)
	@scripts/chromium.sh
	@$(BIN)/python -m pytest tests/browser -m browser $(PYTEST_ARGS)

test-all: ## what a release needs: these three on every Python from 3.11 up that is found
	@found=$$(scripts/venv.sh --list); test -n "$$found" || { echo "No Python 3.11 or newer was found."; exit 3; }; \
	echo "$$found" | while read -r version python; do \
	    echo "== Python $$version ($$python)"; \
	    $(MAKE) --no-print-directory test test-slow test-release VENV=.cache/venv-$$version PYTHON=$$python \
	        PYTEST_ARGS="$(PYTEST_ARGS) --hypothesis-profile=release" </dev/null || exit 1; \
	done

# The first Python is that of .venv, for all suites; the others run CPython's own tests of asyncio.
test-suites: $(VENV)/.dev ## other people's test suites, plain and under the tracer (SUITES="anyio httpx": only these)
	@others=$$(scripts/venv.sh --list | sed 's/^[^ ]* /--python /'); \
	$(BIN)/python -m tests.suites --python $(BIN)/python $$others $(if $(SUITES),$(SUITES),--write)

services: ## Redis, PostgreSQL, pgbouncer and nginx from Debian, as root: used where they are installed
	@scripts/servers.sh

# The types in tests/browser are Playwright's.
lint: $(VENV)/.browser ## style, types, the import rules and the workflow files
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/python scripts/lesson_types.py
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml

# Not --quiet: with it, --strict counts no warnings.
docs: $(VENV)/.dev ## the site, into site/, and in one file for a room without internet; records what has changed
	@scripts/loopback.sh $(BIN)/python
	@$(BIN)/python -m asyncdemo.site prepare
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@$(BIN)/python -m asyncdemo.site pack
	@echo "The site is in site/: open site/index.html, or asyncdemo docs"

wheel: docs ## a wheel that carries the site, into dist/
	@$(BIN)/python -m hatchling build --target wheel

check: lint docs test test-slow test-browser ## what CI runs: lint, docs and all tests

pictures: $(VENV)/.tour ## the pictures in README and docs, of new runs and of the screens
	@rm -rf .cache/picture
	@$(BIN)/asyncdemo run two-sleeps --no-predict --plain --save .cache/picture </dev/null >/dev/null
	@cd .cache/picture && ../../$(BIN)/asyncdemo export two-sleeps-blocking.jsonl two-sleeps-threaded.jsonl \
	    two-sleeps-awaited.jsonl --to svg --output ../../docs/assets/two-sleeps.svg
	@$(BIN)/python scripts/screens.py docs/assets/screens

bench: $(VENV)/.browser $(VENV)/.lab ## the project's own speed, against its peers
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

lock: $(VENV)/.dev ## rewrite requirements/ from pyproject.toml (UPGRADE=1: with the newest versions)
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/lock.sh $(if $(UPGRADE),--upgrade)

clean: ## remove what these commands made
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist docs/lessons site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@scripts/venv.sh $(VENV) $(if $(PYTHON),"$(PYTHON)")

$(VENV)/.tour: requirements/tour.txt pyproject.toml | $(BIN)/python
	@echo "Installing asyncdemo into $(VENV) (only this once) ..."
	@$(PIP) --require-hashes --requirement requirements/tour.txt
	@$(INSTALL_SELF)
	@touch $@

$(VENV)/.course: requirements/course.txt pyproject.toml | $(BIN)/python
	@echo "Installing what the other lessons need into $(VENV): about 100 packages, 500 MB. It takes a minute or more, only this once ..."
	@$(PIP) --require-hashes --requirement requirements/course.txt
	@$(INSTALL_SELF)
	@touch $@ $(VENV)/.tour

$(VENV)/.lab: requirements/lab.txt pyproject.toml | $(BIN)/python
	@echo "Installing what the lab measures into $(VENV) (only this once) ..."
	@$(PIP) --require-hashes --requirement requirements/lab.txt
	@$(INSTALL_SELF)
	@touch $@ $(VENV)/.course $(VENV)/.tour

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(BIN)/python
	@echo "Installing asyncdemo and the tools for its development into $(VENV) (only this once) ..."
	@$(PIP) --require-hashes --requirement requirements/dev.txt
	@$(INSTALL_SELF)
	@touch $@ $(VENV)/.course $(VENV)/.tour

$(VENV)/.browser: requirements/browser.txt $(VENV)/.dev
	@echo "Installing what drives a browser into $(VENV) (only this once) ..."
	@$(PIP) --require-hashes --requirement requirements/browser.txt
	@touch $@
