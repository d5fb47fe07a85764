# What people run: "make help" lists it.

# The Kubernetes release, a line of clusters/releases.yaml. Empty: the newest.
K8S_VERSION ?=
# DRA feature gates: default, alpha, off, or a list. The default of legacy releases is alpha, because DRA is off there otherwise.
GATES ?= $(if $(filter $(LEGACY),$(patsubst v%,%,$(K8S_VERSION))),alpha,default)
# Versions of the DRA API that are served in addition to the default ones, separated by commas.
SERVE ?=
# The scheduler of the cluster: draconform, from allocator/scheduler, or kube-scheduler, which is the only one of legacy releases.
SCHEDULER ?= $(if $(filter $(LEGACY),$(patsubst v%,%,$(K8S_VERSION))),kube-scheduler,draconform)
# e2e-scheduler: a program that is the scheduler instead, and a configuration of the scheduler.
SCHEDULER_BINARY ?=
SCHEDULER_CONFIG ?=
# Only specs that a label filter chooses, such as "partitioning && !driver".
LABELS ?=
# Only specs whose id matches a regular expression.
FOCUS ?=
# KEEP=1 keeps the cluster and prints how to remove it.
KEEP ?=
# How many problems of each kind the differential test draws.
N ?= 1000000
# Only workloads of scheduler-perf whose name matches a regular expression.
BENCH ?= .
# How often each workload of scheduler-perf is run with each plugin (1), each variant of flakes (10), bench-cold and each path of bench-e2e (3).
ROUNDS ?=
# CONTINUE=1 adds to the rounds of bench-cold that were measured before, at the same commit on the same machine.
CONTINUE ?=
# SHORT=1 runs small ones instead, to see that everything works.
SHORT ?=
# Two reports whose outcomes same-outcomes compares.
CONTROL_PLANE ?=
KIND ?=
# Only journeys with these ids, joined by commas.
JOURNEY ?=
# Only variants of flakes or right whose name matches a regular expression.
VARIANT ?=
# The report.yaml of an earlier run of right without a variant, in place of that run.
WITHOUT ?=
# How many variants of flakes, or journeys, run at the same time.
PARALLEL ?= 1
# Only paths of bench-e2e whose name matches a regular expression.
PATHS ?=
# DRY_RUN=1 only prints what bench-e2e runs.
DRY_RUN ?=
# Only faults whose name matches a regular expression.
MUTANT ?=
# WHOLE=1 lets mutants run the whole suite, with several faults at the same time that do not affect each other.
WHOLE ?=
# Only packages of mutation whose path matches a regular expression.
PACKAGE ?=
# NEEDS_CONTAINERS=1 leaves out the faults that mutants can try with PROVIDER=control-plane.
NEEDS_CONTAINERS ?=
# mutants, right: PROVIDER=control-plane tries faults or variants of schedulers on control planes without containers.
PROVIDER ?= kind
# Where each run gets a folder.
ARTIFACTS ?= _artifacts

# The same flags as for all that the suite builds itself (internal/gocmd), so that
# packages are compiled once.
GO_FLAGS = -trimpath -gcflags='all=-dwarf=false -d=gcstart=128'
GO_RUN = CGO_ENABLED=0 go run $(GO_FLAGS)
GO_TEST = CGO_ENABLED=0 go test $(GO_FLAGS)
DRACONFORM = bin/draconform
LINT = go tool -modfile=$(CURDIR)/hack/tools/golangci-lint/go.mod golangci-lint
ACTIONLINT = go tool -modfile=hack/tools/actionlint/go.mod actionlint
# The legacy releases of clusters/releases.yaml, as K8S_VERSION may name them.
LEGACY = $(shell awk '/^[a-z]+:/ { legacy = /^legacy:/ } legacy && /(minor|version):/ { gsub(/"/, ""); print $$NF }' clusters/releases.yaml)
# Modules of their own, because of what they replace.
NESTED = allocator/scheduler
VENDORS = e2e/vendors
CLASSIC = fakedriver/classic
CLASSIC_EARLIER = fakedriver/classic/v1alpha2

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets and their variables
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "%-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@awk '/^# / { text = text substr($$0, 2) } /^[A-Z0-9_]+ \?=/ { printf "%-14s%s\n", $$1, text } !/^# / { text = "" }' $(MAKEFILE_LIST)

# The goal of the estimate that prepare prints: the verdict of all specs, or the first of some specs.
e2e: UNTIL = $(if $(LABELS)$(FOCUS),spec,verdict)

# How long a first run takes.
FIRST_RUN = on two cores 7 to 11 min until the first spec and 13 to 29 min until the verdict

.PHONY: e2e
e2e: prepare ## From this machine as it is to a verdict: cluster, driver, specs, report
	@$(DRACONFORM) run --release "$(K8S_VERSION)" --gates "$(GATES)" --serve "$(SERVE)" --scheduler "$(SCHEDULER)" \
		--labels "$(LABELS)" --focus "$(FOCUS)" --artifacts "$(ARTIFACTS)" $(if $(filter-out 0,$(KEEP)),--keep)

.PHONY: e2e-scheduler
e2e-scheduler: PREPARE = --engine=false
e2e-scheduler: FIRST_RUN = on two cores about 8 min until the verdict
e2e-scheduler: prepare ## The specs that need no running containers, with a control plane on this machine: no engine, no root
	@$(DRACONFORM) run --provider control-plane --release "$(K8S_VERSION)" --gates "$(GATES)" --serve "$(SERVE)" --scheduler "$(SCHEDULER)" \
		--scheduler-binary "$(SCHEDULER_BINARY)" --scheduler-config "$(SCHEDULER_CONFIG)" \
		--labels "$(LABELS)" --focus "$(FOCUS)" --artifacts "$(ARTIFACTS)" $(if $(filter-out 0,$(KEEP)),--keep)

.PHONY: same-outcomes
same-outcomes: ## See that specs had the same outcomes in two runs: CONTROL_PLANE=report.yaml of e2e-scheduler, KIND=report.yaml of e2e
	@$(GO_RUN) ./hack/sameoutcomes $(CONTROL_PLANE) $(KIND)

.PHONY: e2e-skew
e2e-skew: prepare ## Upgrade, downgrade and break clusters under their workloads, and judge what they do
	@$(DRACONFORM) skew --id "$(JOURNEY)" --parallel "$(PARALLEL)" --artifacts "$(ARTIFACTS)" $(if $(filter-out 0,$(KEEP)),--keep)

.PHONY: e2e-vendor
e2e-vendor: prepare ## Judge drivers that are not ours by their driver files, as their vendors would
	@$(GO_RUN) ./hack/vendor --release "$(K8S_VERSION)" --gates "$(filter-out default,$(GATES))" --focus "$(FOCUS)" \
		--artifacts "$(ARTIFACTS)/vendor" --draconform $(DRACONFORM) $(if $(filter-out 0,$(KEEP)),--keep)

.PHONY: e2e-start
e2e-start: prepare ## Run the five commands of docs/start.md in a cluster with a driver that is not ours
	@$(GO_RUN) ./hack/vendor --start --release "$(K8S_VERSION)" --gates "$(filter-out default,$(GATES))" \
		--artifacts "$(ARTIFACTS)/start" --draconform $(DRACONFORM) $(if $(filter-out 0,$(KEEP)),--keep)

.PHONY: action
action: PREPARE = --engine=false
action: prepare ## Run the steps of the GitHub action with a control plane on this machine: no engine, no root
	@DRACONFORM=$(CURDIR)/$(DRACONFORM) $(GO_TEST) -count=1 ./hack/action

.PHONY: action-in-container
action-in-container: prepare action ## The same in a clean container without a network, afterwards
	@DRACONFORM=$(CURDIR)/$(DRACONFORM) hack/action/container.sh

.PHONY: audit-rights
audit-rights: prepare ## Compare the rights that runs with driver files use with their roles, by the audit log of a cluster
	@$(GO_RUN) ./hack/vendor --audit-rights --release "$(K8S_VERSION)" --gates "$(filter-out default,$(GATES))" --focus "$(FOCUS)" \
		--artifacts "$(ARTIFACTS)/audit" --draconform $(DRACONFORM) $(if $(filter-out 0,$(KEEP)),--keep)

.PHONY: mutants
mutants: PREPARE = $(if $(filter control-plane,$(PROVIDER)),--engine=false)
mutants: prepare ## Break schedulers, drivers, kubelets and API servers on purpose, in a cluster, and see that specs find it
	@$(GO_RUN) ./hack/mutants --provider "$(PROVIDER)" --mutant "$(MUTANT)" --artifacts "$(ARTIFACTS)/mutants" --draconform $(DRACONFORM) $(if $(filter-out 0,$(WHOLE)),--whole) $(if $(filter-out 0,$(NEEDS_CONTAINERS)),--needs-containers)

.PHONY: mutants-foreign
mutants-foreign: prepare ## The same with drivers that are installed as those of vendors, and known by driver files only
	@$(GO_RUN) ./hack/mutants --foreign --mutant "$(MUTANT)" --artifacts "$(ARTIFACTS)/mutants-foreign" --draconform $(DRACONFORM)

.PHONY: mutants-classic
mutants-classic: PREPARE = --engine=false
mutants-classic: prepare ## The same with the driver of classic DRA and control planes on this machine: no engine, no root
	@$(GO_RUN) ./hack/mutants --classic --mutant "$(MUTANT)" --artifacts "$(ARTIFACTS)/mutants-classic"

.PHONY: mutation
mutation: ## Change operators of packages that only compute, by machine, and see that their tests find it
	@CGO_ENABLED=0 go build $(GO_FLAGS) -modfile=hack/tools/gremlins/go.mod -o bin/ github.com/go-gremlins/gremlins/cmd/gremlins
	@$(GO_RUN) ./hack/mutation --package "$(PACKAGE)" --artifacts "$(ARTIFACTS)/mutation"

.PHONY: right
right: PREPARE = $(if $(filter control-plane,$(PROVIDER)),--engine=false)
right: prepare ## Run the suite with schedulers, drivers and kubelets that are right and differ from ours, and see that no spec fails
	@$(GO_RUN) ./hack/right --provider "$(PROVIDER)" --variant "$(VARIANT)" --without "$(WITHOUT)" --artifacts "$(ARTIFACTS)/right" --draconform $(DRACONFORM)

.PHONY: flakes
flakes: prepare ## Run the suite with both schedulers and each journey several times, and list what does not always pass
	@$(GO_RUN) ./hack/flakes --variant "$(VARIANT)" --rounds $(or $(ROUNDS),10) --parallel $(PARALLEL) --artifacts "$(ARTIFACTS)/flakes" --draconform $(DRACONFORM)

.PHONY: test
test: ## Everything that needs no cluster
	@CGO_ENABLED=0 go build $(GO_FLAGS) -o bin/test ./hack/test
	@exec bin/test

.PHONY: integration
integration: ## Test our scheduler in a control plane of local processes, whose programs are built once
	cd $(NESTED) && $(GO_TEST) ./integration

.PHONY: test-classic
test-classic: ## Test the drivers of classic DRA, which are built with the Kubernetes modules of old releases
	cd $(CLASSIC) && $(GO_TEST) ./...
	cd $(CLASSIC_EARLIER) && $(GO_TEST) ./...

.PHONY: differential
differential: ## Compare the allocator with Kubernetes' on N problems of each kind
	go test -count=1 -timeout 0 ./allocator/internal/testkit/diff -run 'TestSameAnswer|TestResultsFollow|TestAnswersWith|TestPrunings|TestPacking' -rapid.checks=$(N)

.PHONY: bench-cold
bench-cold: ## Measure make e2e from nothing to its verdict, ROUNDS times (3), and write its part of docs/performance.md; needs root and mmdebstrap
	@CGO_ENABLED=0 go build $(GO_FLAGS) -o bin/ ./hack/benchcold
	@exec bin/benchcold --rounds $(or $(ROUNDS),3) $(if $(filter-out 0,$(CONTINUE)),--continue)

.PHONY: bench-e2e
bench-e2e: ## Measure runs with filled caches by stage and by spec, ROUNDS times (3), and write their parts of docs/performance.md
	@CGO_ENABLED=0 go build $(GO_FLAGS) -o bin/ ./hack/benche2e
	@exec bin/benche2e --paths "$(PATHS)" --rounds $(or $(ROUNDS),3) --artifacts "$(ARTIFACTS)/bench-e2e" $(if $(filter-out 0,$(DRY_RUN)),--dry-run)

.PHONY: bench
bench: ## Measure the allocator and that of Kubernetes; compare the output with "benchstat -col /impl"
	go test -run '^$$' -bench . -count 6 -timeout 0 ./allocator/bench

.PHONY: scheduler-perf
scheduler-perf: ## Measure our scheduler plugin and that of Kubernetes, with its scheduler_perf
	cd $(NESTED)/perf && $(GO_TEST) -count=1 -timeout 12h -run '^$$' -bench 'PerfScheduling$$' -benchtime 1x \
		$(if $(filter-out 0,$(SHORT)),-short) . -only '$(BENCH)' -rounds $(or $(ROUNDS),1) -data-items-dir $(abspath $(ARTIFACTS))/scheduler-perf

.PHONY: docs
docs: ## Write the pages of docs that follow from specs and requirements; "make test" fails if they are stale
	@$(GO_RUN) ./e2e/cmd/draconform docs docs

.PHONY: site
site: ## Build the documentation site into bin/site, with a search, and check its links and its accessibility
	@CGO_ENABLED=0 go build $(GO_FLAGS) -modfile=hack/tools/hugo/go.mod -o bin/ github.com/gohugoio/hugo
	@bin/hugo --source hack/site --destination $(CURDIR)/bin/site --cleanDestinationDir --panicOnWarning --noBuildLock --quiet
	@$(GO_RUN) ./hack/site bin/site

.PHONY: lint
lint: ## Check the code's style, the workflows and the configuration of releases
	$(LINT) run
	cd $(NESTED) && $(LINT) run
	cd $(VENDORS) && $(LINT) run
	cd $(CLASSIC) && $(LINT) run
	cd $(CLASSIC_EARLIER) && $(LINT) run
	$(ACTIONLINT)
	@if command -v shellcheck >/dev/null; then shellcheck --external-sources --exclude=SC2317 .ci/run .github/action/*.sh hack/action/*.sh; \
		else echo "shellcheck is not installed: scripts are not checked"; fi # SC2317 does not see functions that are called by name.
	cd hack/tools/goreleaser && $(GO_RUN) . $(CURDIR)/.goreleaser.yaml

.PHONY: verify
verify: lint ## Check all that a commit must hold to: style, tests with the race detector, tidy modules
	test -z "$$(gofmt -l .)"
	go vet ./...
	cd $(NESTED) && go vet ./...
	cd $(VENDORS) && go vet ./...
	cd $(CLASSIC) && go vet ./...
	cd $(CLASSIC_EARLIER) && go vet ./...
	cd $(NESTED)/perf && CGO_ENABLED=0 go vet $(GO_FLAGS) ./...
	go mod tidy -diff
	cd $(NESTED) && go mod tidy -diff
	cd $(NESTED)/perf && go mod tidy -diff
	cd $(VENDORS) && go mod tidy -diff
	cd $(CLASSIC) && go mod tidy -diff
	cd $(CLASSIC_EARLIER) && go mod tidy -diff
	go test -race ./...
	cd $(NESTED) && go test -race ./...
	cd $(VENDORS) && go test -race ./...
	cd $(CLASSIC) && go test -race ./...
	cd $(CLASSIC_EARLIER) && go test -race ./...

.PHONY: prepare
prepare: ## Compile draconform, and find the container engine or install and start one
	@$(if $(wildcard $(DRACONFORM)),,echo "first run in this checkout: $(FIRST_RUN), less with filled caches")
	@CGO_ENABLED=0 go build $(GO_FLAGS) -o bin/ ./hack/prepare
	@exec bin/prepare --until "$(UNTIL)" $(PREPARE)

.PHONY: engine
engine: ## Find the container engine, or install and start one
	@$(GO_RUN) ./hack/engine ensure

.PHONY: engine-stop
engine-stop: ## Stop the engine that "make engine" started, and no other
	@$(GO_RUN) ./hack/engine stop

.PHONY: doctor
doctor: build ## Check whether this machine can run clusters
	@$(DRACONFORM) doctor

.PHONY: node-image
node-image: prepare ## Get the node image of K8S_VERSION into the engine
	@$(DRACONFORM) node-image --release "$(K8S_VERSION)"

.PHONY: clean
clean: build ## Remove what runs left in the engine
	@$(DRACONFORM) clean

.PHONY: build
build: ## Build the draconform command into bin
	@CGO_ENABLED=0 go build $(GO_FLAGS) -o bin/ ./e2e/cmd/draconform
