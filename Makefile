# Everything here can also be typed by hand; README.md says how. `make` alone lists the targets.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c .ci/constraints.txt

.DEFAULT_GOAL := help
.PHONY: help run test lint bench clean

help:
	@echo 'make run    install what is missing and open the demonstration (RUN="--no-robots" passes options on)'
	@echo 'make test   run every test (TESTS="tests/nlp -k name" chooses some)'
	@echo 'make lint   ruff, mypy --strict and the direction of imports'
	@echo 'make bench  measure pages, highlighting and typesetting'
	@echo 'make clean  remove .venv and instance/'

run: .venv/installed
	@$(BIN)/peer-revenue demo $(RUN)

test: .venv/installed-for-tests
	$(BIN)/python -m pytest $(TESTS)

lint: .venv/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/installed-for-tests
	$(INSTALL) -e '.[test,bench]'
	$(BIN)/python -m tests.bench.pages
	$(BIN)/python -m tests.bench.highlight
	$(BIN)/python -m tests.bench.typeset

clean:
	rm -rf .venv instance

# A stamp is newer than what it was made from, so a second `make run` installs nothing.
.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Peer Revenue needs Python 3.11 or newer, and '$(PYTHON)' is not one." >&2; \
	  echo "Name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { \
	  echo "No virtual environment could be made. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

.venv/installed: .venv/bin/pip pyproject.toml .ci/constraints.txt
	@echo 'Installing into .venv (once; most of a first run is this) ...'
	@began=$$(date +%s); $(INSTALL) -e . && echo "Installed in $$(($$(date +%s) - began)) s."
	@touch $@

.venv/installed-for-tests: .venv/bin/pip pyproject.toml .ci/constraints.txt
	@echo 'Installing into .venv, with what the tests need ...'
	@began=$$(date +%s); $(INSTALL) -e '.[test]' && echo "Installed in $$(($$(date +%s) - began)) s."
	@touch $@ .venv/installed
