# make run       builds `eras` and runs its scenarios in every era, once each, on a loopback server
# make test      builds everything with warnings as errors and runs all tests
# make sanitize  runs tests of eras, faults, recorder, images and small port under the thread sanitizer
# make soak      runs the long forms of storms and growth, before a release
# make peers     runs the tests against real servers and proxies, which it installs and starts
# make newer-libcurl  runs the tests with the libcurl of Debian's backports, which it fetches
# make bench     measures against libcurl's own C loop and other clients; BENCH="--help" tells how
# make release   builds `eras` with Swift's libraries inside, and a package for Debian of it
# make docs      builds the documentation site with docc, checks its links, looks at it in Chromium
# make lint      checks the form of all sources
# All first install what is missing; `make help` prints this.

SWIFT ?= swift
SANITIZED = OperationNetworkingTests,DurableQueueTests,FaultTests,EventRecorderTests,NetworkImagesTests,SessionEraTests,RequestEraTests,SmallPortTests
SANITIZED_GROUPS = ^(OperationNetworkingTests|DurableQueueTests|NetworkImagesTests|SessionEraTests) ^(FaultTests|EventRecorderTests|RequestEraTests) \
	^SmallPortTests\.(SmallPortTests|SanitizedStateTests)
# A crash under a sanitizer would otherwise wait for the backtrace program.
SANITIZER = SWIFT_BACKTRACE=enable=no STORM_OPERATIONS=3000

.PHONY: run test sanitize soak peers newer-libcurl bench bench-check release docs lint help dependencies test-dependencies

help:
	@sed -n '1,11s/^# //p' Makefile

run: dependencies
	@echo "==> Building eras (the first time takes about three minutes)"
	@scripts/quietly $(SWIFT) build -c release --product eras
	@echo "==> Running it: the same scenarios in every era, once each"
	@"$$($(SWIFT) build -c release --show-bin-path)/eras" compare --runs 1 --html comparison.html > /dev/null
	@echo "==> Open comparison.html; \`.build/release/eras help\` lists what else there is"

test: test-dependencies lint
	@echo "==> Building everything, warnings are errors"
	@OPERATION_NETWORKING_STRICT=1 scripts/quietly $(SWIFT) build --build-tests
	@echo "==> Running all tests in three processes; beside them, whether the documentation shows what the code does"
	@scripts/run-tests --beside scripts/test-documents
	@echo "==> Running the tests that change networks, in a process of their own"
	@NETWORK_NAMESPACES=1 scripts/run-tests 'NetlinkMonitorTests|NetworkLossTests'

sanitize: test-dependencies
	@echo "==> Building the tests of operations, faults, the recorder, images and the small port with the thread sanitizer"
	@ONLY_TESTS=$(SANITIZED) scripts/quietly $(SWIFT) build --build-tests --scratch-path .build/tsan --sanitize=thread
	@echo "==> Running them"
	@SCRATCH=.build/tsan $(SANITIZER) scripts/run-tests $(foreach tests,$(SANITIZED_GROUPS),'$(tests)')

# The long forms of the storms and of the tests of growth: about an hour. A test may print nothing for most of it.
soak: test-dependencies
	@$(SWIFT) build --build-tests
	@SILENCE=7200 STORM_OPERATIONS=50000 GROWTH_STEPS=100000 ORIGINS=100000 IDLE_SECONDS=10 \
		IMAGE_MUTATIONS=100000 STORM_CANCELS=100000 READER_MIB=64 DURABLE_KILLS=1000 \
		LIMITED_REQUESTS=100000 ORDERED_REQUESTS=10000 RETRY_REQUESTS=10000 RETRIES=10000 \
		LIMITER_STEPS=1000000 RANDOM_LOADS=1000000 TASK_LIVES=1000000 \
		MACHINE_LIVES=1000000 \
		scripts/run-tests \
		'StormTests|IdleTests|MutationTests|AwaitedOperationTests|OperationBytesTests|KilledQueueTests' 'Growth' \
		'ManyLimitsTests|ResultOrderTests|RetryLoadTests|RetryTests|LimiterModelTests|RandomLoadTests|TaskStateTests|OperationMachineLivesTests'
	@ORDERS=200 scripts/run-tests OrderTests

peers: test-dependencies
	OPERATION_NETWORKING_STRICT=1 $(SWIFT) build --build-tests
	@OPERATION_NETWORKING_STRICT=1 sh scripts/test-peers

newer-libcurl: test-dependencies
	OPERATION_NETWORKING_STRICT=1 $(SWIFT) build --build-tests
	@sh scripts/test-newer-libcurl

# BENCH takes options of the program, WORKLOADS and ROUNDS what is measured, and how often.
bench: dependencies
	@sh scripts/install-packages nginx-light openssl curl python3-venv
	@echo "==> Building eras and the benchmarks (the first time takes a few minutes)"
	$(SWIFT) build -c release --product eras
	$(SWIFT) build -c release --package-path Benchmarks
	@ERAS="$$($(SWIFT) build -c release --show-bin-path)/eras" \
		"$$($(SWIFT) build -c release --package-path Benchmarks --show-bin-path)/bench" $(BENCH) \
		$(if $(WORKLOADS),--workloads "$(WORKLOADS)") $(if $(ROUNDS),--rounds $(ROUNDS))

bench-check:
	@$(MAKE) bench BENCH=--check

release: dependencies
	@echo "==> Building eras with Swift's libraries inside (the first time takes some minutes)"
	@scripts/make-package

docs: test-dependencies
	@echo "==> Building the package, whose modules the reference is made of"
	$(SWIFT) build
	@scripts/build-documentation

lint:
	@echo "==> Checking the form of the sources"
	@$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Lessons Exercises \
		Benchmarks/Package.swift Benchmarks/Sources

# The server of faults is a Python program, and so is what builds the documentation; curl is what the
# server's answers are compared with; Chromium looks at pages.
test-dependencies: dependencies
	@sh scripts/install-packages python3 curl chromium fonts-liberation

dependencies:
	@sh scripts/install-dependencies
