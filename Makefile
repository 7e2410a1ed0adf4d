# Every target sets up what it needs by itself on Debian 12 with a Swift 6.3 toolchain.

SWIFT ?= swift
# SwiftPM says this of GStreamer's .pc files at every build; it is harmless and hides what is not.
QUIET = 2>&1 | { grep -v 'prohibited flag(s): -pthread' || true; }
# One after the other: the later ones use both cores themselves, and their deadlines are for an idle machine.
TESTS = CallAgentTests SignalingTests MediaEngineTests EndToEndTests
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec

.PHONY: help demo test build release lint bench bench-signaling doctor clean

help:
	@echo "make demo     install what is missing, build, place a real call and show its timeline"
	@echo "make test     the same for all tests"
	@echo "make build    debug build        make release  optimised build"
	@echo "make lint     formatting and documentation rules"
	@echo "make bench    call set-up figures, optimised, against their limits"
	@echo "make bench-signaling    what the signaling server takes: many clients, and bad ones"
	@echo "make doctor   what this machine lacks for calls"

demo: release
	@.build/release/callagent demo

test: lint
	@scripts/install-packages test
	@$(SWIFT) build --build-tests $(QUIET)
	@for group in $(TESTS); do echo "== $$group"; $(SWIFT) test --skip-build --filter "^$$group\\." $(QUIET); done

build:
	@scripts/install-packages
	@$(SWIFT) build $(QUIET)

release:
	@scripts/install-packages
	@$(SWIFT) build -c release --product callagent $(QUIET)

lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks pipelines
	@scripts/check-sources

bench: release
	@Benchmarks/call-setup .build/release/callagent

bench-signaling: release
	@$(SWIFT) build -c release --product signaling-load $(QUIET)
	@Benchmarks/signaling-load .build/release

doctor: release
	@.build/release/callagent doctor

clean:
	@rm -rf .build
