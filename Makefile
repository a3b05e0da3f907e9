# One word per chore. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := $(shell find src -name '*.cpp' -o -name '*.hpp')
SOURCES := $(NATIVE) $(shell find src -name '__init__.py')
WORKERS ?= 2
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

.PHONY: help demo test check registry stubs format bench docs capabilities sanitize attack fuzz wheel pythons clean

help:  ## list the chores
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/' | awk -F': ' '{printf "  make %-14s %s\n", $$1, $$2}'

# What building needs, then Assay with what it needs itself: enough for `make demo`.
$(VENV)/.base: pyproject.toml
	@test -x $(BIN)/python || { echo "Creating the environment $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing what the build needs (pip, CMake, Ninja, nanobind)"
	@$(INSTALL) --upgrade "pip>=25.1"
	@$(INSTALL) --group build
	@touch $@

$(VENV)/.built: $(VENV)/.base CMakeLists.txt $(SOURCES)
	@echo "Installing Assay and what it needs, and compiling its native code (the first time takes two to four minutes)"
	@$(BIN)/python -m pip install --verbose --disable-pip-version-check --no-build-isolation --editable . 2>&1 \
		| $(BIN)/python tools/build_progress.py
	@touch $@

# What developers need besides: the test suite, linters, peers, optional packages.
$(VENV)/.tools: $(VENV)/.built
	@test -e $@ && test $@ -nt pyproject.toml || { echo "Installing the developers' tools (once; takes a minute or two)"; \
		$(INSTALL) --group dev; }
	@touch $@

demo: $(VENV)/.built  ## compare learners on built-in data and write a report
	@echo "Comparing learners on breast_cancer, which comes with Assay: assay compare breast_cancer --report breast_cancer.html"
	@$(BIN)/assay compare breast_cancer --report breast_cancer.html
	@echo "Next, with a table of your own: $(BIN)/assay compare FILE --target COLUMN"

test: $(VENV)/.tools  ## run all tests, doctests included
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --durations=10

check: $(VENV)/.tools  ## lint, format, types, import direction, house rules
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	@$(BIN)/mypy
	@$(BIN)/python tools/check_house.py
	@$(BIN)/python tools/stubs.py --check
	@$(BIN)/python tools/bibliography.py --check
	@$(BIN)/python tools/registry.py --check

registry: $(VENV)/.built  ## write down what the classes say: lists of learners and rooms, reference pages
	@$(BIN)/python tools/registry.py

stubs: $(VENV)/.built  ## write down what the native modules say of their functions
	@$(BIN)/python tools/stubs.py

format:  ## put the code into its standard form
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet . ; $(BIN)/clang-format -i $(NATIVE)

bench: $(VENV)/.tools  ## measure against the peers; prints ratios
	@$(INSTALL) --group bench
	@$(BIN)/python -m benchmarks

docs: $(VENV)/.tools  ## build the documentation into docs/_build
	@$(INSTALL) --group docs
	@MPLBACKEND=agg OMP_NUM_THREADS=1 $(BIN)/sphinx-build -q -j $(WORKERS) -W --keep-going -b html docs docs/_build/html
	@$(BIN)/python tools/check_site.py docs/_build/html
	@echo "docs/_build/html/index.html"

capabilities: $(VENV)/.tools  ## print which capabilities have a passing test
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) -m capability --no-header > build/capabilities.log 2>&1 \
		|| { tail -n 30 build/capabilities.log; exit 1; }
	@$(BIN)/python tools/capabilities.py

# The package once more, with AddressSanitizer and UBSan in its native code. Python loads it if ASSAY_FROM says so.
# The compiler works in build/sanitize, which stays: after a change only what depends on it is compiled again.
build/sanitized/.built: CMakeLists.txt $(shell find src -type f) | $(VENV)/.base
	@echo "Compiling the native code with AddressSanitizer and UBSan"
	@mkdir -p build
	@rm -rf build/sanitized
	@$(INSTALL) --no-build-isolation --no-deps --config-settings=cmake.define.ASSAY_SANITIZE=ON \
		--config-settings=build-dir=build/sanitize --target build/sanitized .
	@touch $@

# An access outside of an array ends the process; memory that is too much to ask for is refused as by the system.
SANITIZED = ASSAY_FROM=build/sanitized LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096 OMP_NUM_THREADS=1

# SHARD=2/5 runs the second of five parts. Clusters are other processes, which load the ordinary build.
sanitize: $(VENV)/.tools build/sanitized/.built  ## run all tests with AddressSanitizer and UBSan in the native code
	@$(SANITIZED) ASSAY_SHARD=$(SHARD) $(BIN)/python -m pytest -q -n $(WORKERS) tests -k "not cluster"

# By count, not by the clock: the same calls and files on every machine. The parts run side by side.
attack: $(VENV)/.tools build/sanitized/.built  ## attack native code, model files and readers, sanitized; some two minutes
	@$(SANITIZED) $(BIN)/python benchmarks/attack.py

fuzz: $(VENV)/.tools build/sanitized/.built  ## the same with TIMES=20 as many tries and any SEED
	@$(SANITIZED) $(BIN)/python benchmarks/attack.py --times $(or $(TIMES),20) --seed $(or $(SEED),0)

wheel: $(VENV)/.tools  ## build the source archive, the wheel from it, install that elsewhere and use it there
	@rm -rf build/dist build/wheel-venv
	@$(BIN)/python -c "from scikit_build_core.build import build_sdist; build_sdist('build/dist')"
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w build/dist build/dist/*.tar.gz
	@$(PYTHON) -m venv build/wheel-venv
	@build/wheel-venv/bin/python -m pip install --quiet --disable-pip-version-check build/dist/*.whl
	@cd / && "$(CURDIR)/build/wheel-venv/bin/python" -I "$(CURDIR)/tools/smoke.py"

pythons: wheel  ## install the wheel in every Python on this machine and use it there
	@$(BIN)/python tools/check_wheel.py build/dist/*.whl

clean:  ## remove everything that was built
	@rm -rf $(VENV) build dist docs/_build
