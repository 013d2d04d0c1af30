# Citevault. `make` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS ?= build/peers
PEERS_STAMP := $(PEERS)/.installed
BENCH_PEERS ?= build/peers-scrapy
BENCH_PEERS_STAMP := $(BENCH_PEERS)/.installed
DUPLICATES_PEERS ?= build/peers-duplicates
DUPLICATES_PEERS_STAMP := $(DUPLICATES_PEERS)/.installed
BENCH ?=
DATA_DIR ?= ./data
SEEDS ?= 1
CHAOS ?=

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk 'BEGIN {FS = ":.*## "}; {printf "  %-12s %s\n", $$1, $$2}'

# After `pip install`: how far it is, ten packages a line, since it takes minutes and would else be silent or a screenful.
told := | awk '/^Collecting/ {if (++n % 10 == 0) print "  " n " packages found"} /^Installing coll/ {print "  " n " packages are here and are unpacked"} {fflush()}'

$(STAMP): pyproject.toml requirements.lock workers/native/lanes.c workers/native/sha256.c
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …" >&2; exit 3; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV), which takes some minutes the first time"
	@set -o pipefail; $(BIN)/python -m pip install --progress-bar off --disable-pip-version-check --require-hashes -r requirements.lock $(told)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	-@$(BIN)/python -m workers.native
	@touch $@

$(PEERS_STAMP): deploy/peers.txt
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@echo "installing the second readers into $(PEERS)"
	@set -o pipefail; $(PEERS)/bin/python -m pip install --progress-bar off --disable-pip-version-check -r deploy/peers.txt $(told)
	@touch $@

$(BENCH_PEERS_STAMP): deploy/bench/peers/requirements.txt
	@test -x $(BENCH_PEERS)/bin/python || $(PYTHON) -m venv $(BENCH_PEERS)
	$(BENCH_PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r deploy/bench/peers/requirements.txt
	@touch $@

$(DUPLICATES_PEERS_STAMP): deploy/bench/peers/duplicates.txt
	@test -x $(DUPLICATES_PEERS)/bin/python || $(PYTHON) -m venv $(DUPLICATES_PEERS)
	$(DUPLICATES_PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r deploy/bench/peers/duplicates.txt
	@touch $@

.PHONY: install
install: $(STAMP) ## Create the virtual environment and install everything

.PHONY: peers
peers: $(PEERS_STAMP) ## Install the second readers (pywb, cdxj-indexer) in an environment of their own

# $(call debian,command:package …) installs the packages whose command is not there; as somebody else than root it says which.
debian = @PATH="$$PATH:/usr/sbin"; missing=""; \
	for pair in $(1); do command -v "$${pair%%:*}" >/dev/null || missing="$$missing $${pair\#\#*:}"; done; \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null && \
	  for service in prometheus nginx; do systemctl stop $$service 2>/dev/null || true; done; \
	else echo "install these Debian packages as root:$$missing" >&2; exit 3; fi

.PHONY: system-packages
system-packages: ## Install the Debian packages that the tests need (as root)
	$(call debian,promtool:prometheus chromium:chromium strace:strace)

.PHONY: demo
demo: $(STAMP) ## Archive a small sample web end to end, and validate the bundle
	$(BIN)/python -m deploy.demo --data-dir $(DATA_DIR)/demo

.PHONY: up
up: $(STAMP) ## Start the local stack (detached)
	$(BIN)/citevault --data-dir $(DATA_DIR) up --detach

.PHONY: down
down: $(STAMP) ## Stop the local stack
	$(BIN)/citevault --data-dir $(DATA_DIR) down

.PHONY: check
check: $(STAMP) ## Format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m schemas.export --check

.PHONY: test
test: $(STAMP) $(PEERS_STAMP) system-packages check ## The whole suite against real embedded parts
	rm -f .coverage .coverage.*
	CITEVAULT_PEERS=$(abspath $(PEERS)) COVERAGE_PROCESS_START=$(abspath pyproject.toml) $(BIN)/python -m pytest -q -m 'not drill' -n 2 --dist loadfile --no-loadscope-reorder --cov --cov-report=term:skip-covered --durations=15

.PHONY: drills
drills: $(STAMP) ## The tests that run for minutes: stores away, clocks, failover, bombs, the frontier's benchmark, hosts cut off (as root on Linux)
	$(BIN)/python -m pytest -q -m drill tests/deploy

.PHONY: bench-tools
bench-tools: ## Install the Debian packages that `make bench` needs (as root)
	$(call debian,nginx:nginx-light wget:wget)
	@test -e /usr/lib/nginx/modules/ngx_http_echo_module.so || { [ "$$(id -u)" = 0 ] && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libnginx-mod-http-echo >/dev/null; } || { echo "install as root: libnginx-mod-http-echo" >&2; exit 3; }

.PHONY: bench-peers
bench-peers: $(BENCH_PEERS_STAMP) $(DUPLICATES_PEERS_STAMP) ## Install Scrapy, warcio, aiohttp and py-spy; rensa, text-dedup and datatrove; in environments of their own

.PHONY: chromium
chromium:
	$(call debian,chromium:chromium)

.PHONY: hostile
hostile: $(STAMP) $(PEERS_STAMP) chromium ## Visit a hostile server with archive, readers and a browser; writes deploy/hostile/TABLE.md
	CITEVAULT_PEERS=$(abspath $(PEERS)) $(BIN)/python -m deploy.hostile

.PHONY: bench
bench: $(STAMP) bench-tools $(BENCH_PEERS_STAMP) $(DUPLICATES_PEERS_STAMP) ## Measure against peers; writes build/bench/results.json (BENCH="capture --quick")
	$(BIN)/python -m deploy.bench --peers-python $(BENCH_PEERS)/bin/python --duplicates-python $(DUPLICATES_PEERS)/bin/python $(BENCH)

.PHONY: chaos
chaos: $(STAMP) ## Kill every part of the stack while it works, and look what is left (SEEDS=n or SEEDS="1 2 3", CHAOS="kills --seed 7")
	$(BIN)/python -m deploy.chaos $(CHAOS) --seeds $(SEEDS)

.PHONY: namespaces
namespaces: $(STAMP) ## Cut one of three hosts off, in network namespaces (as root on Linux)
	$(call debian,ip:iproute2)
	$(BIN)/python -m deploy.chaos namespaces $(CHAOS)

.PHONY: format
format: $(STAMP) ## Format and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: lock
lock: ## Pin every dependency with hashes
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --generate-hashes --python-version 3.11 --no-header --quiet -o requirements.lock
	deploy/images/lock.sh

.PHONY: clean
clean: ## Remove what was built
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
