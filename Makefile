# Every target sets up what it needs by itself on Debian 12 with a Swift 6.3 toolchain.

SWIFT ?= swift
# SwiftPM says this of GStreamer's .pc files at every build; it is harmless and hides what is not.
QUIET = 2>&1 | { grep -v 'prohibited flag(s): -pthread' || true; }
# One after the other: the later ones use both cores themselves, and their deadlines are for an idle machine.
TESTS = CallAgentTests SignalingTests MediaEngineTests EndToEndTests PeerTests
# Those that depend on GStreamer and the browsers, for another distribution's.
DEBIAN13_TESTS ?= MediaEngineTests EndToEndTests PeerTests
# Where make install puts things; DESTDIR goes before, for packages.
PREFIX ?= /usr/local
DESTDIR ?=
# More options for the optimised build.
RELEASE_FLAGS ?=
BINARY ?= .build/release/callagent
COMPLETIONS = bash-completion/completions/callagent zsh/site-functions/_callagent fish/vendor_completions.d/callagent.fish
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec

.PHONY: help demo test test-debian13 build release lint docs bench bench-cpu bench-signaling simulate fuzz doctor install uninstall clean

help:
	@echo "make demo     install what is missing, build, place a real call and show its timeline"
	@echo "make test     the same for all tests"
	@echo "make test-debian13    engine, end-to-end and peer tests and the demo with Debian 13's GStreamer; as root"
	@echo "make build    debug build        make release  optimised build"
	@echo "make lint     formatting and documentation rules"
	@echo "make docs     documentation of the libraries (DocC)"
	@echo "make bench    call set-up figures, optimised, against their limits"
	@echo "make bench-cpu    the CPU time of a call, beside the same graph in C and a pair in Chromium"
	@echo "make bench-signaling    what the signaling server takes: many clients, and bad ones"
	@echo "make simulate RUNS=1000000 SEED=0    calls on a bad network, in virtual time; one run again: RUNS=1 SEED=n"
	@echo "make fuzz COUNT=1000000 NATIVE=20000 SEED=0    damaged descriptions, for the parser and for webrtcbin"
	@echo "make doctor   what this machine lacks for calls"
	@echo "make install  after make release: program, systemd units, completions, below PREFIX (/usr/local)"

demo: release
	@.build/release/callagent demo

test: lint
	@scripts/install-packages test
	@scripts/install-peers
	@$(SWIFT) build --build-tests $(QUIET)
	@SWIFT=$(SWIFT) scripts/run-tests $(TESTS)

# What is built here runs with the libraries of a root of Debian 13, which is made first.
test-debian13:
	@SWIFT=$(SWIFT) scripts/in-debian13 $(if $(filter PeerTests,$(DEBIAN13_TESTS)),scripts/install-peers,true)
	@$(MAKE) --no-print-directory release
	@$(SWIFT) build --build-tests $(QUIET)
	@SWIFT=$(SWIFT) TEST_RUNNER=.build/debug/callagentPackageTests.xctest TEST_LOGS=.build/test-logs/debian13 \
		scripts/in-debian13 scripts/run-tests $(DEBIAN13_TESTS)
	@SWIFT=$(SWIFT) scripts/in-debian13 .build/release/callagent demo --calls 8

build:
	@scripts/install-packages
	@$(SWIFT) build $(QUIET)

release:
	@scripts/install-packages
	@$(SWIFT) build -c release --product callagent $(RELEASE_FLAGS) $(QUIET)

# The documentation of both libraries, into .build/plugins/Swift-DocC, and the programs in it.
docs:
	@scripts/install-packages
	@for snippet in $(basename $(notdir $(wildcard Snippets/*.swift))); do $(SWIFT) build --product $$snippet $(QUIET); done
	@for library in MediaEngine CallProtocol CallAgent; do \
		$(SWIFT) package generate-documentation --target $$library --warnings-as-errors $(QUIET); \
	done

lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks pipelines
	@scripts/check-sources

bench: release
	@Benchmarks/call-setup .build/release/callagent

bench-cpu: release
	@$(SWIFT) build -c release --product engine-call $(QUIET)
	@$(SWIFT) build -c release --product call-graph $(QUIET)
	@Benchmarks/call-cpu .build/release

bench-signaling: release
	@$(SWIFT) build -c release --product signaling-load $(QUIET)
	@Benchmarks/signaling-load .build/release

# Optimised, since a million of them are many.
simulate:
	@$(SWIFT) build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build-testing $(QUIET)
	@CALLAGENT_SIMULATION_RUNS=$(or $(RUNS),1000000) CALLAGENT_SIMULATION_SEED=$(or $(SEED),0) $(SWIFT) test -c release \
		-Xswiftc -enable-testing --skip-build --scratch-path .build-testing --filter SimulationTests $(QUIET)

# Descriptions for the parser, and how many of those that it accepts go on to webrtcbin in a process of its own.
fuzz:
	@scripts/install-packages
	@$(SWIFT) build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build-testing $(QUIET)
	@CALLAGENT_FUZZ_COUNT=$(or $(COUNT),1000000) CALLAGENT_FUZZ_NATIVE=$(or $(NATIVE),20000) \
		CALLAGENT_FUZZ_SEED=$(or $(SEED),0) $(SWIFT) test -c release -Xswiftc -enable-testing --skip-build \
		--scratch-path .build-testing --filter 'MediaEngineTests\..*FuzzTests' $(QUIET)

doctor: release
	@.build/release/callagent doctor

# Builds nothing: it is run as root.
install:
	@test -x $(BINARY) || { echo "there is no $(BINARY); run 'make release' first" >&2; exit 1; }
	@install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/callagent
	@for unit in packaging/systemd/*.service; do \
		install -d $(DESTDIR)$(PREFIX)/lib/systemd/system; \
		sed 's|/usr/local/bin/|$(PREFIX)/bin/|' $$unit > $(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/}; \
	done
	@install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/callagent/examples packaging/examples/*
	@install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,$(dir $(COMPLETIONS)))
	@$(BINARY) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/$(word 1,$(COMPLETIONS))
	@$(BINARY) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/$(word 2,$(COMPLETIONS))
	@$(BINARY) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/$(word 3,$(COMPLETIONS))

uninstall:
	@rm -rf $(DESTDIR)$(PREFIX)/bin/callagent $(DESTDIR)$(PREFIX)/share/doc/callagent
	@rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,$(COMPLETIONS))
	@rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/systemd/system/,$(notdir $(wildcard packaging/systemd/*)))

clean:
	@rm -rf .build
