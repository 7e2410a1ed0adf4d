# Every target installs what it needs on Debian 12 with a Swift 6.3 toolchain.

SWIFT ?= swift
# SwiftPM prints this warning about GStreamer's .pc files at every build; it is harmless and hides other warnings.
QUIET = 2>&1 | { grep -vE 'prohibited flag\(s\): -pthread|libFoundationEssentials.a\(' || true; }
# See run-tests for which of them run beside each other.
TESTS = CallAgentTests SignalingTests EndToEndTests PeerTests MediaEngineTests
# The groups that depend on GStreamer and the browsers, to be run with another distribution's versions.
DEBIAN13_TESTS ?= EndToEndTests PeerTests MediaEngineTests
# Where make install installs; DESTDIR is a prefix for making packages.
PREFIX ?= /usr/local
DESTDIR ?=
# Options of every optimised build. The program then needs no Swift toolchain where it runs.
RELEASE_FLAGS ?= --static-swift-stdlib
RELEASE = $(SWIFT) build -c release $(RELEASE_FLAGS)
BINARY ?= .build/release/callagent
COMPLETIONS = bash-completion/completions/callagent zsh/site-functions/_callagent fish/vendor_completions.d/callagent.fish
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec

.PHONY: help demo test test-debian13 build release deb test-deb lint docs bench bench-cpu bench-load bench-network bench-signaling bench-soak bench-callers bench-paths simulate fuzz doctor install uninstall clean

help:
	@echo "make demo     install what is missing, build, place a real call and show its timeline"
	@echo "make test     the same for all tests"
	@echo "make test-debian13    engine, end-to-end and peer tests and the demo with Debian 13's GStreamer; as root"
	@echo "make build    debug build        make release  optimised build"
	@echo "make lint     formatting and documentation rules"
	@echo "make docs     documentation of the libraries (DocC)"
	@echo "make bench    call set-up figures, optimised, against their limits"
	@echo "make bench-cpu    the CPU time of a call, beside the same graph in C and a pair in Chromium"
	@echo "make bench-load   how many calls this machine carries, beside Chromium and aiortc"
	@echo "make bench-network RUNS=3 PARTS=set-up,conditions,loss,rates,sharing,many,nat,changes    calls on emulated networks; as root. The first five are beside"
	@echo "              Chromium, the first three beside aiortc, too; nat is which calls connect, changes is when the network changes during a call"
	@echo "make bench-network RUNS=1 NETWORKS='lte delay=100ms,loss=5%'    calls on networks of your own, in the words of callagent lab, with plots"
	@echo "make bench-signaling    what the signaling server takes: many clients, and bad ones; the same calls at mosquitto"
	@echo "make bench-soak CALLS=4000    thousands of calls in one process, and what they leave behind"
	@echo "make bench-callers CALLS=10000    the same for the process that places the calls"
	@echo "make bench-paths PATHS=1000   as many network paths in one call, and what they leave behind"
	@echo "make simulate RUNS=1000000 SEED=0    calls on a bad network, in virtual time; one run again: RUNS=1 SEED=n"
	@echo "make fuzz COUNT=1000000 NATIVE=20000 SEED=0    damaged descriptions, for the parser and for webrtcbin"
	@echo "make doctor   what this machine lacks for calls"
	@echo "make deb      a Debian package of the program, with units, completions and manual pages"
	@echo "make test-deb    installs that package in clean roots of Debian 12 and 13, and calls there; as root"
	@echo "make install  after make release: program, systemd units, completions, below PREFIX (/usr/local)"

demo: release
	@.build/release/callagent demo

test: lint
	@scripts/install-packages test
	@scripts/install-peers
	@$(SWIFT) build --build-tests $(QUIET)
	@scripts/run-tests $(TESTS)

# The programs are built here and run with the libraries of a Debian 13 root, which is made first.
test-debian13:
	@SWIFT=$(SWIFT) scripts/in-debian13 $(if $(filter PeerTests,$(DEBIAN13_TESTS)),scripts/install-peers,true)
	@$(MAKE) --no-print-directory release
	@$(SWIFT) build --build-tests $(QUIET)
	@SWIFT=$(SWIFT) TEST_LOGS=.build/test-logs/debian13 scripts/in-debian13 scripts/run-tests $(DEBIAN13_TESTS)
	@SWIFT=$(SWIFT) scripts/in-debian13 .build/release/callagent demo --calls 8

build:
	@scripts/install-packages
	@$(SWIFT) build $(QUIET)

release:
	@scripts/install-packages
	@$(RELEASE) --product callagent $(QUIET)

# The documentation of the libraries, into .build/plugins/Swift-DocC, and its example programs.
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
	@$(RELEASE) --product engine-call $(QUIET)
	@$(RELEASE) --product call-graph $(QUIET)
	@Benchmarks/call-cpu .build/release

bench-load: release
	@scripts/install-packages test
	@scripts/install-peers
	@Benchmarks/load .build/release/callagent

bench-signaling: release
	@scripts/install-packages test
	@$(RELEASE) --product signaling-load $(QUIET)
	@Benchmarks/signaling-load .build/release --transports
	@Benchmarks/signaling-load .build/release

# CALLS in one process; 10000 take 20 minutes.
bench-soak: release
	@Benchmarks/soak .build/release/callagent $(or $(CALLS),4000)

# CALLS from one process; 10000 take 15 minutes.
bench-callers: release
	@Benchmarks/soak .build/release/callagent --callers $(or $(CALLS),10000)

# PATHS in one call, two a second.
bench-paths: release
	@Benchmarks/soak .build/release/callagent --paths $(or $(PATHS),1000)

# As root: it makes network namespaces.
bench-network: release
	@scripts/install-packages test
	@$(RELEASE) --product path-emulator $(QUIET)
	@Benchmarks/network .build/release $(or $(RUNS),3) $(or $(PARTS),$(if $(NETWORKS),conditions)) $(NETWORKS)

# Optimised, since a million calls take long.
simulate:
	@$(SWIFT) build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build-testing $(QUIET)
	@CALLAGENT_SIMULATION_RUNS=$(or $(RUNS),1000000) CALLAGENT_SIMULATION_SEED=$(or $(SEED),0) $(SWIFT) test -c release \
		-Xswiftc -enable-testing --skip-build --scratch-path .build-testing --filter SimulationTests $(QUIET)

# COUNT descriptions for the parser; NATIVE of those that it accepts go to webrtcbin in a separate process.
fuzz:
	@scripts/install-packages
	@$(SWIFT) build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build-testing $(QUIET)
	@CALLAGENT_FUZZ_COUNT=$(or $(COUNT),1000000) CALLAGENT_FUZZ_NATIVE=$(or $(NATIVE),20000) \
		CALLAGENT_FUZZ_SEED=$(or $(SEED),0) $(SWIFT) test -c release -Xswiftc -enable-testing --skip-build \
		--scratch-path .build-testing --filter 'MediaEngineTests\..*FuzzTests' $(QUIET)

doctor: release
	@.build/release/callagent doctor

# Builds nothing, since it runs as root.
install:
	@test -x $(BINARY) || { echo "there is no $(BINARY); run 'make release' first" >&2; exit 1; }
	@install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/callagent
	@for unit in packaging/systemd/*.service; do \
		install -d $(DESTDIR)$(PREFIX)/lib/systemd/system; \
		sed 's|/usr/local/bin/|$(PREFIX)/bin/|' $$unit > $(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/}; \
	done
	@install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/callagent/examples packaging/examples/*
	@install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/callagent/examples/scenarios scenarios/*.yaml
	@install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/callagent docs/*.md docs/page.webp
	@install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/callagent/mosquitto docs/mosquitto/*
	@install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/callagent/ejabberd docs/ejabberd/*
	@sed 's|](docs/|](|g' README.md > $(DESTDIR)$(PREFIX)/share/doc/callagent/README.md
	@install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,$(dir $(COMPLETIONS)))
	@$(BINARY) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/$(word 1,$(COMPLETIONS))
	@$(BINARY) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/$(word 2,$(COMPLETIONS))
	@$(BINARY) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/$(word 3,$(COMPLETIONS))

deb: release
	@scripts/install-packages deb
	@scripts/build-deb $(BINARY)

test-deb: deb
	@scripts/test-deb .build/callagent_*.deb

uninstall:
	@rm -rf $(DESTDIR)$(PREFIX)/bin/callagent $(DESTDIR)$(PREFIX)/share/doc/callagent
	@rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,$(COMPLETIONS))
	@rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/systemd/system/,$(notdir $(wildcard packaging/systemd/*)))

clean:
	@rm -rf .build
