# The verbs of the project. `make` alone lists them.

PYTHON = $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,$(shell \
	$(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))
HOST = 127.0.0.1
PORT = 8000
PROCESSES = 3
BIN = .venv/bin
EXAMPLE = examples/agent-archive/state/example-traffic.log
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
PACKAGES = $(wildcard packages/*/pyproject.toml)
READY = .venv/.ready
CHECKERS = .venv/.checkers

.DEFAULT_GOAL = help
.PHONY: help install demo docs test check bench audit interop

help: # list the verbs
	@sed -n 's/^\([a-z]*\):.*# \(.*\)/make \1 \t\2/p' Makefile | expand -t 16

install: $(READY) # set up .venv with the command and what the demo needs; instant when nothing changed

$(READY): requirements/demo.txt $(PACKAGES)
	@test -n "$(PYTHON)" || { echo "citepress needs Python 3.11 or newer, and no python3 of that age is on the PATH." \
		"Install one, or name it: make install PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "citepress needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments; install its venv package (on Debian: python3-venv)" >&2; exit 1; }
	@echo "Setting up .venv (about half a minute the first time) ..."
	@$(PYTHON) -m venv .venv
	@$(PIP) --require-hashes -r requirements/demo.txt
	@$(PIP) --no-deps --no-build-isolation $(foreach file,$(PACKAGES),-e $(dir $(file)))
	@touch $(READY)

$(CHECKERS): requirements/dev.txt | $(READY)
	@echo "Adding every extra and what tests and checks need to .venv (some minutes the first time) ..."
	@$(PIP) --require-hashes -r requirements/dev.txt
	@touch $(CHECKERS)

demo: install # serve the demo archive on http://127.0.0.1:8000 (PORT=... for another port)
	@test -e $(EXAMPLE) || { mkdir -p $(dir $(EXAMPLE)) && $(BIN)/python examples/recent_log.py \
		examples/example-traffic.log.gz > $(EXAMPLE).part && $(BIN)/citepress telemetry import $(EXAMPLE).part \
		--content examples/agent-archive && mv $(EXAMPLE).part $(EXAMPLE); }
	@$(BIN)/citepress serve examples/agent-archive --host $(HOST) --port $(PORT)

docs: install # serve the documentation as an archive on http://127.0.0.1:8000 (PORT=... for another port)
	@PYTHONPATH=tests $(BIN)/python tests/support/docs_site.py build/docs
	@$(BIN)/citepress serve build/docs --host $(HOST) --port $(PORT)

test: $(CHECKERS) # the whole test suite, or that of one package (PACKAGE=core)
	@$(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder $(PACKAGE:%=packages/citepress-%/tests)

check: $(CHECKERS) # format, lint, types, layers
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(CHECKERS) # compare with peers and with the stated ratios (minutes, a quiet machine; FULL=1)
	@$(call run,bench/run)

audit: $(CHECKERS) # judges of pages: HTML, accessibility, links (Node.js and a browser)
	@$(call run,tests/audit/run)

interop: $(CHECKERS) # foreign clients against a running server (Node.js)
	@$(call run,tests/interop/run)

run = if test -x $(1); then PATH="$$PWD/$(BIN):$$PATH" $(1); else \
	echo "make $@: $(1) is not part of this tree yet, so there is nothing to run" >&2; exit 1; fi
