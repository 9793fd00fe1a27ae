# The two commands of a newcomer are `make demo` and `make test`; `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test lint lock laws bench clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.run ## run a whole proxy on loopback and watch two agent sessions go through it
	@$(BIN)/forebay demo

test: $(VENV)/.test ## run the whole test suite
	@$(BIN)/pytest -n 2 --cov --cov-report=term:skip-covered

lint: $(VENV)/.test ## ruff, mypy --strict and the import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

laws: $(VENV)/.test ## the laws over 10,000 generated histories (minutes)
	@$(BIN)/pytest -n 2 --hypothesis-profile=thorough tests/laws

bench: $(VENV)/.run ## CPU per request beside a bare pass-through
	@$(BIN)/python -m benchmarks.overhead

lock: $(VENV)/bin/python ## resolve the dependencies anew and write the lock files
	@$(BIN)/pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --upgrade --extra build pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --extra build --extra test -c requirements.lock pyproject.toml -o requirements-test.lock

clean: ## remove what the commands above created
	rm -rf $(VENV) .forebay build *.egg-info

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Forebay needs Python 3.11 or newer; set PYTHON=python3.x")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "installing the locked dependencies (once) ..."
	@$(BIN)/pip install --quiet --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: requirements-test.lock $(VENV)/.run
	@echo "installing the locked test dependencies (once) ..."
	@$(BIN)/pip install --quiet --require-hashes -r requirements-test.lock
	@touch $@
