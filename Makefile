# make run    builds `eras` and runs nineteen scenarios in both eras, five times, on a loopback server
# make test   builds everything with warnings as errors and runs all tests, then the tests of
#             operations, faults and the recorder again under the thread sanitizer
# make peers  runs the tests against real servers and proxies, which it installs and starts
# make bench  measures against libcurl's own C loop and other clients; BENCH="--help" tells how
# make lint   checks the form of all sources
# All first install what is missing; `make help` prints this.

SWIFT ?= swift
# A crash under a sanitizer would otherwise wait for the backtrace program.
SANITIZED = SWIFT_BACKTRACE=enable=no STORM_OPERATIONS=3000

.PHONY: run test peers bench bench-check lint help dependencies test-dependencies

help:
	@sed -n '1,7s/^# //p' Makefile

run: dependencies
	@echo "==> Building eras (the first time takes a minute or two)"
	$(SWIFT) build -c release --product eras
	@echo "==> Running it: the same scenarios in the connection era and in the session era"
	@"$$($(SWIFT) build -c release --show-bin-path)/eras" compare --html comparison.html

test: test-dependencies lint
	@echo "==> Building everything, warnings are errors"
	OPERATION_NETWORKING_STRICT=1 $(SWIFT) build --build-tests
	@echo "==> Checking that the documentation shows what the code does"
	@scripts/update-documentation --check
	@echo "==> Running all tests"
	@OPERATION_NETWORKING_STRICT=1 SWIFT="$(SWIFT)" scripts/run-tests --skip-build --no-parallel
	@echo "==> Building and running a package that depends on this one"
	@$(SWIFT) run --package-path Tests/Consumer --scratch-path .build/consumer app
	@echo "==> Running the tests that change networks, in a process of their own"
	@OPERATION_NETWORKING_STRICT=1 NETWORK_NAMESPACES=1 SWIFT="$(SWIFT)" scripts/run-tests --skip-build \
		--filter 'NetlinkMonitorTests|NetworkLossTests'
	@echo "==> Running the tests of operations, faults and the recorder under the thread sanitizer"
	@$(SANITIZED) SWIFT="$(SWIFT)" scripts/run-tests --scratch-path .build/tsan --sanitize=thread --no-parallel \
		--filter 'OperationNetworkingTests|FaultTests|EventRecorderTests'

peers: test-dependencies
	OPERATION_NETWORKING_STRICT=1 $(SWIFT) build --build-tests
	@OPERATION_NETWORKING_STRICT=1 sh scripts/test-peers

# BENCH takes options of the program, WORKLOADS and ROUNDS what is measured, and how often.
bench: dependencies
	@sh scripts/install-packages nginx-light openssl curl python3-venv
	@echo "==> Building the benchmarks (the first time takes a few minutes)"
	$(SWIFT) build -c release --package-path Benchmarks
	@"$$($(SWIFT) build -c release --package-path Benchmarks --show-bin-path)/bench" $(BENCH) \
		$(if $(WORKLOADS),--workloads "$(WORKLOADS)") $(if $(ROUNDS),--rounds $(ROUNDS))

bench-check:
	@$(MAKE) bench BENCH=--check

lint:
	@echo "==> Checking the form of the sources"
	@$(SWIFT) format lint --strict --recursive Package.swift Sources Tests \
		Benchmarks/Package.swift Benchmarks/Sources

# The server of faults is a Python program; curl is what its answers are compared with; Chromium
# looks at the page of the comparison.
test-dependencies: dependencies
	@sh scripts/install-packages python3 curl chromium fonts-liberation

dependencies:
	@sh scripts/install-dependencies
