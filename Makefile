# One word per chore. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find src -name '*.cpp' -o -name '*.hpp' -o -name '__init__.py')
WORKERS ?= 2

.PHONY: help demo test check format bench docs capabilities sanitize fuzz wheel clean

help:  ## list the chores
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/' | awk -F': ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(VENV)/.tools: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the tools (once; takes a minute or two)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

$(VENV)/.built: $(VENV)/.tools CMakeLists.txt $(SOURCES)
	@echo "Building the kernels"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable ".[plot,dask]"
	@touch $@

demo: $(VENV)/.built  ## compare learners on built-in data and write a report
	@$(BIN)/assay compare breast_cancer --report breast_cancer.html

test: $(VENV)/.built  ## run all tests, doctests included
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --durations=10

check: $(VENV)/.built  ## lint, format, types, import direction, house rules
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy
	@$(BIN)/python tools/check_house.py

format:  ## put the code into its standard form
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet .

bench: $(VENV)/.built  ## measure against the peers; prints ratios
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	@$(BIN)/python -m benchmarks

docs: $(VENV)/.built  ## build the documentation into docs/_build
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	@MPLBACKEND=agg $(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

capabilities: $(VENV)/.built  ## print which capabilities have a passing test
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) -m capability --no-header > build/capabilities.log 2>&1 \
		|| { tail -n 30 build/capabilities.log; exit 1; }
	@$(BIN)/python tools/capabilities.py

sanitize: $(VENV)/.built  ## run all that runs kernels under AddressSanitizer and UBSan
	@rm -rf build/sanitized
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
		--config-settings=cmake.define.ASSAY_SANITIZE=ON --config-settings=build-dir=build/sanitize \
		--target build/sanitized .
	@ASSAY_FROM=build/sanitized LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=1 \
		$(BIN)/python -m pytest -q -m kernel tests -k "not scikit_learns_own and not cluster"

fuzz: $(VENV)/.built  ## attack the file readers with mutated files for a while
	@$(BIN)/python benchmarks/fuzz_readers.py

wheel: $(VENV)/.built  ## build the wheel, install it elsewhere and use it there
	@rm -rf build/dist build/wheel-venv
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w build/dist .
	@$(PYTHON) -m venv build/wheel-venv
	@build/wheel-venv/bin/python -m pip install --quiet --disable-pip-version-check build/dist/*.whl
	@cd / && "$(CURDIR)/build/wheel-venv/bin/python" -I "$(CURDIR)/tools/smoke.py"

clean:  ## remove everything that was built
	@rm -rf $(VENV) build dist docs/_build
