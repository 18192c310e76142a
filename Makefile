# Viva. `make run` and `make test` do everything from a fresh Debian or Ubuntu with Go; `make` lists the rest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# The embedded LiveKit server is linked only with this tag (docs/adr/0001).
DEV_TAG := devserver
# Tests, lint and the look for vulnerabilities take in what is built with the tag pdf: all in one build, since tags change only
# those packages that have them. `make build` compiles what stands there without it.
TEST_TAGS := $(DEV_TAG),pdf
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)

LINT_VERSION := v2.15.0
GOLANGCI_LINT ?= bin/golangci-lint-$(LINT_VERSION)
VULN_VERSION := v1.9.0

# Where goroutines meet, tests run under the race detector, save the packages that start a whole LiveKit server: compiling and
# running that under it costs minutes and disturbs real-time audio. `make test-e2e E2E_RACE=-race` does it all the same.
# What takes long under it runs shortened (-short) there, and in full in test-full. Lint has vetted everything before.
UNIT_RACE ?= -race
E2E_RACE ?=
TEST_TIMEOUT ?= 10m
VIVA_ARTIFACTS ?= $(CURDIR)/artifacts
export VIVA_ARTIFACTS

GO_TEST := go test -vet=off -tags $(TEST_TAGS) -timeout $(TEST_TIMEOUT)

.PHONY: help setup build run test test-unit test-full test-interleavings acceptance test-race test-e2e test-soak chaos soak fuzz lint deploy-lint vuln eval eval-record bench bench-peer turn-measure lk stub validate notices docker-lint clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9 -]+:.*## / { printf "%-25s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing (apt packages, model weights, browser bundle)
	@deploy/setup.sh run

build: setup ## bin/viva: the production binary, without an embedded server
	@go build -trimpath -ldflags '$(LDFLAGS)' -o bin/viva ./cmd/viva

run: setup ## set up, then LiveKit, worker and candidate's page on http://127.0.0.1:7890
	@echo 'building bin/viva-dev (the first time takes a few minutes)'
	@go build -tags $(DEV_TAG) -o bin/viva-dev ./cmd/viva
	@exec bin/viva-dev dev

# End-to-end tests wait for speech most of the time, but nothing runs beside them: on two processors sound would have gaps.
# The soak does not mind: it is held by typing, and most of it is waiting, so the tests that only compute run beside it.
STEP = step() { local started=$$SECONDS status=0; echo "== $$1"; $(MAKE) $$1 || status=$$?; echo "== $$1 took $$((SECONDS - started)) s"; return $$status; }
test: ## set up, lint, unit tests under -race, all others in full, a short soak, end-to-end tests
	@deploy/setup.sh test
	@mkdir -p '$(VIVA_ARTIFACTS)'
	@$(STEP); failed=; soaked='$(VIVA_ARTIFACTS)/soak.txt'; \
	for target in lint test-unit; do step $$target || failed="$$failed $$target"; done; \
	step test-soak > "$$soaked" 2>&1 & soak=$$!; trap 'kill $$soak 2>/dev/null || true' EXIT; \
	step test-full || failed="$$failed test-full"; \
	wait $$soak || failed="$$failed test-soak"; cat "$$soaked"; \
	step test-e2e || failed="$$failed test-e2e"; \
	[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

test-unit: ## tests in which goroutines may meet, under the race detector; no LiveKit server
	@packages=$$(.ci/packages race); $(GO_TEST) $(UNIT_RACE) -short $$packages

# test-unit plays 1,000 of them under the race detector, which makes it ten times slower; test-interleavings 100,000.
INTERLEAVINGS ?= 20000
test-full: ## in full, without the race detector: what test-unit shortens, what has no goroutines, simulated candidates
	@packages=$$(.ci/packages full | grep -v '/agent$$'); $(GO_TEST) $$packages
	@VIVA_INTERLEAVINGS=$(INTERLEAVINGS) $(GO_TEST) ./agent

test-interleavings: ## random orders of events and latencies, in virtual time
	@VIVA_INTERLEAVINGS=100000 $(GO_TEST) -count 1 -run 'TestInterleavings' -v ./agent | grep -vE '^=== '

acceptance: ## run all tests and show which of them holds which requirement: artifacts/acceptance.md
	@mkdir -p '$(VIVA_ARTIFACTS)'
	@go test -json -tags $(TEST_TAGS) -timeout $(TEST_TIMEOUT) -p 1 ./... > '$(VIVA_ARTIFACTS)/tests.json' || true
	@go run ./cmd/acceptance < '$(VIVA_ARTIFACTS)/tests.json' > '$(VIVA_ARTIFACTS)/acceptance.md' || { grep -E 'no test|FAIL|not run' '$(VIVA_ARTIFACTS)/acceptance.md'; exit 1; }
	@tail -1 '$(VIVA_ARTIFACTS)/acceptance.md'

test-race: ## everything under the race detector, slowly
	@go test -race -tags $(TEST_TAGS) -timeout 30m -p 1 ./...

# All packages are run, also after one that fails.
test-e2e: ## tests with a real LiveKit server, one package at a time
	@mkdir -p '$(VIVA_ARTIFACTS)'
	@packages=$$(.ci/packages server); failed=; \
	for package in $$packages; do $(GO_TEST) $(E2E_RACE) -count 1 "$$package" || failed="$$failed $$package"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

test-soak: ## a short soak: what is left in a worker of interviews that are over
	@$(MAKE) soak SOAK=20s SEATS=10 VIRTUAL=600

KILLS ?= 200
SEED ?= 1
CHAOS_PARALLEL ?= 2
chaos: ## workers killed at random moments of interviews, for each ten LiveKit and PostgreSQL once; a failover, a partition, links that lose packets: make chaos KILLS=50 SEED=7
	@VIVA_E2E_KILLS=$(KILLS) VIVA_E2E_SEED=$(SEED) $(GO_TEST) -timeout 3h -count 1 -parallel $(CHAOS_PARALLEL) \
		-run '^(TestKills|TestServerIsKilled|TestDatabaseIsKilled|TestDatabaseFailsOver|TestPartition|TestBadLink)$$' -v ./agent/e2e | grep -v '^==='

SOAK ?= 30m
SEATS ?= 20
VIRTUAL ?= 10000
soak: ## interviews back to back, and what is left of them in the worker; then VIRTUAL ones in virtual time: make soak SOAK=5m SEATS=10
	@VIVA_E2E_SOAK=$(SOAK) VIVA_E2E_SEATS=$(SEATS) $(GO_TEST) -timeout 3h -count 1 -parallel $(SEATS) -run '^TestSoak$$' -v ./agent/e2e | grep -v '^==='
	@go run ./cmd/viva simulate --runs $$((($(VIRTUAL) + 5) / 6)) --candidate all --model two_stage # six manners

# What is found is kept in the package's testdata/fuzz, and from then on is a test like any other: commit it with what mends it.
FUZZTIME ?= 10s
fuzz: ## every decoder of foreign bytes, FUZZTIME (10s) each, or those that match: make fuzz FUZZ=Metadata FUZZTIME=5m
	@FUZZTIME='$(FUZZTIME)' TAGS='$(TEST_TAGS)' .ci/fuzz '$(FUZZ)'

lint: $(GOLANGCI_LINT) deploy-lint ## golangci-lint (with go vet) and the checks of deploy/
	@$(GOLANGCI_LINT) run --build-tags $(TEST_TAGS) ./...

bin/golangci-lint-$(LINT_VERSION):
	@echo 'building golangci-lint $(LINT_VERSION) into bin/ (once)'
	@mkdir -p bin
	@GOBIN='$(CURDIR)/bin' go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	@mv bin/golangci-lint $@

deploy-lint docker-lint: ## scripts, Dockerfile, compose file, chart, dashboards and alert rules
	@deploy/lint.sh

# The scenarios tagged core come with recorded talks, which tests replay. Whoever changes a prompt records them anew (docs/evals.md).
CASSETTES := agent/eval/cassettes
eval: build ## grade the recorded talks of the core scenarios: artifacts/eval.html; no key needed
	@mkdir -p '$(VIVA_ARTIFACTS)'
	@bin/viva eval --only core --against plain --replay $(CASSETTES) --page '$(VIVA_ARTIFACTS)/eval.html' --json '$(VIVA_ARTIFACTS)/eval.json' || [ $$? = 1 ] # 1: an expectation was not met

eval-record: build ## record anew what a changed prompt asks for, with the models of OPENAI_API_KEY or OPENAI_BASE_URL
	@mkdir -p '$(VIVA_ARTIFACTS)'
	@bin/viva eval --only core --against plain --refresh $(CASSETTES) --parallel 18 --page '$(VIVA_ARTIFACTS)/eval.html' --json '$(VIVA_ARTIFACTS)/eval.json' || [ $$? = 1 ] # 1: an expectation was not met

vuln: ## known vulnerabilities in what is linked (needs the network)
	@go run golang.org/x/vuln/cmd/govulncheck@$(VULN_VERSION) -tags $(TEST_TAGS) ./...

bench: ## benchmarks of the pipeline, on an otherwise idle machine
	@go test -run '^$$' -bench . -benchmem ./pipeline/...

bench-peer: setup ## LiveKit's framework for Node and Viva in one run (docs/benchmarks.md; takes nine minutes)
	@deploy/bench/peer.sh

turn-measure: ## the turn model's score on cases made here (pipeline/turn/turneval/README.md; needs more packages, some minutes)
	@go run ./cmd/turneval measure -recognizer scripted,bare -half held-out
	@go run ./cmd/turneval measure -recognizer scripted,bare -half independent -kinds

lk: ## bin/lk: LiveKit's own command line (takes some minutes)
	@deploy/setup.sh lk
	@deploy/build-lk.sh

stub: setup ## the fixed-latency OpenAI-compatible stub, for measurements without a key
	@go run ./cmd/viva openai-stub

validate: ## check interview definitions: make validate FILES='a.yaml b.yaml'
	@go run ./cmd/viva validate $(FILES)

notices: setup ## THIRD_PARTY_NOTICES.md anew: after every change of go.mod or of what set-up fetches
	@go run ./cmd/notices >THIRD_PARTY_NOTICES.md.new
	@mv THIRD_PARTY_NOTICES.md.new THIRD_PARTY_NOTICES.md

clean: ## remove what was built; keeps fetched weights and bundles
	@rm -rf bin artifacts
