# `make setup`, `make demo` and `make test` work on a machine with Python 3.11+ and make only.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# The optional parts that are installed; `make EXTRAS=dev,docs,spark` adds Spark (some 480 MB, and it needs Java).
EXTRAS ?= dev,docs
READY := .venv/.ready.$(EXTRAS)
# Compiled loops are kept beside their files: compiled once, before the processes of tests each would, and again after a
# change. `make test` needs few of them, for the others run as they stand on little data.
KERNELS := .venv/.kernels.few
ALL_KERNELS := .venv/.kernels.all
KERNEL_FILES := $(shell find src -name '*kernels*.py') src/discreet/common/compiled.py
# Programs that tests start would else compile every module each time, on machines that say so.
unexport PYTHONDONTWRITEBYTECODE

PROCESSES ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

.PHONY: setup demo kernels test test-all nightly recipes lint types docs pictures bench reproduce ci clean
.DEFAULT_GOAL := setup

setup: $(READY)

# uv where it is installed (faster), venv and pip elsewhere: the same pinned versions either way. What is never imported
# need not be compiled: that was half of pip's time.
$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "discreet needs Python 3.11 or newer; none was found (set PYTHON=...)"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python "$(PYTHON)" .venv && \
		uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[$(EXTRAS)]'; \
	else \
		"$(PYTHON)" -m venv .venv && \
		$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'; \
	fi
	@touch $@

demo: $(READY)
	@$(BIN)/discreet demo

# A process that dies ends the run: another in its place has been seen to wait for ever.
PYTEST := $(BIN)/python -m pytest --dist loadgroup --max-worker-restart 0 -o faulthandler_timeout=600

# What one runs all day: all but the slow kinds (CONTRIBUTING.md lists them), with few random examples.
test: $(READY) $(KERNELS)
	$(PYTEST) -n auto -m "not (slow or spark or process or browser or bench or reference)"

# Everything, nothing skipped: needs Java, Chromium, PostgreSQL and the public data sets as well.
# One process more than cores: some tests wait for programs that they start.
test-all: TEST_PROFILE ?= ci
test-all:
	@$(MAKE) --no-print-directory setup $(ALL_KERNELS) EXTRAS=dev,docs,spark,connect,browser
	DISCREET_REQUIRE_ALL=1 HYPOTHESIS_PROFILE=$(TEST_PROFILE) $(PYTEST) -n $(PROCESSES)

# The same at length: many random examples, large tables, and the tests that show at length what others show in short.
nightly:
	@$(MAKE) --no-print-directory test-all TEST_PROFILE=nightly

# Recipes, the container's steps, the action's install, the built package: in environments of their own, which are
# fetched from the package index. What is not there (R, Docker's base, other shells) is skipped with the reason.
recipes: $(READY)
	$(PYTEST) -m recipes -n 0 tests

$(KERNELS): $(KERNEL_FILES) | $(READY)
	$(BIN)/python -m tests.warm_up
	@touch $@

# All kernels; among them those of `make test`.
kernels: $(ALL_KERNELS)

$(ALL_KERNELS): $(KERNEL_FILES) | $(READY)
	$(BIN)/python -m tests.warm_up all
	@touch $(KERNELS) $@

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The pictures of README and docs, made in Chromium.
pictures: $(READY)
	$(BIN)/python tools/pictures.py

bench: $(READY)
	$(BIN)/python bench/templates.py

# Every experiment of the four papers, and the page docs/papers.md; `make reproduce FULL=1` as long as the papers did.
reproduce: $(READY)
	$(BIN)/python bench/reproduce.py $(if $(FULL),--full)

ci:
	bash .ci/run

clean:
	rm -rf .venv site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
