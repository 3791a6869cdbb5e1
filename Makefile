# soundd: `make help` lists the targets. Only Swift (6.3 or newer) must be there; what else is missing is installed.

PREFIX ?= /usr/local
DESTDIR ?=
# systemd looks for a user's own units (PREFIX=~/.local) in share, for those of all users in lib.
UNITDIR ?= $(PREFIX)/$(if $(filter $(HOME)/%,$(PREFIX)),share,lib)/systemd/user
SWIFT ?= swift
BUILD_PACKAGES := libasound2-dev libsndfile1-dev libsoxr-dev pkg-config
TEST_PACKAGES := $(BUILD_PACKAGES) sox socat
DEMO_PACKAGES := $(BUILD_PACKAGES) sox gnuplot-nox
BENCH_PACKAGES := $(BUILD_PACKAGES) valgrind
RELEASE := -c release --static-swift-stdlib --product soundd
# XCTest is not used, and the leak checker trips over it.
TEST := $(SWIFT) test --disable-xctest
LINTED := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources/RenderPath Benchmarks/Sources/UpdatePath Benchmarks/Sources/Allocations
WERROR := WERROR=1

.DEFAULT_GOAL := help
.PHONY: help run test check lint format build debug release sanitize bench install uninstall clean deps-%

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: deps-demo release ## build, then hear (or, without a sound card, see) values change
	examples/demo/run "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd"

test: deps-test ## run all tests
	$(TEST)

check: deps-test lint ## what CI does: format, lint, debug and release builds with warnings as errors, tests
	$(WERROR) $(SWIFT) build --build-tests
	$(WERROR) $(SWIFT) build $(RELEASE)
	$(WERROR) $(TEST)

lint: ## check the format and style of the sources
	$(SWIFT) format lint --strict --recursive $(LINTED)

format: ## format the sources in place
	$(SWIFT) format --in-place --recursive $(LINTED)

build: debug ## build for debugging
debug: deps-build
	$(SWIFT) build

release: deps-build ## build for release, with Swift's own libraries inside
	$(SWIFT) build $(RELEASE)

# Foundation itself leaks a little in the tests, so leaks are not looked for.
sanitize: deps-test ## run the tests under the Thread and the Address Sanitizer
	$(TEST) --sanitize=thread --scratch-path .build/thread
	ASAN_OPTIONS=detect_leaks=0 $(TEST) --sanitize=address --scratch-path .build/address

bench: deps-bench ## measure: instruction counts and ratios
	Benchmarks/run

install: release ## install into PREFIX (default /usr/local)
	install -D -m 755 "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" "$(DESTDIR)$(PREFIX)/bin/soundd"
	install -d "$(DESTDIR)$(PREFIX)/share/soundd/sounds"
	install -m 644 sounds/*.wav sounds/LICENSE "$(DESTDIR)$(PREFIX)/share/soundd/sounds"
	install -d "$(DESTDIR)$(UNITDIR)"
	install -m 644 systemd/soundd.service systemd/soundd.socket "$(DESTDIR)$(UNITDIR)"
	sed -i 's|@PREFIX@|$(PREFIX)|g' "$(DESTDIR)$(UNITDIR)/soundd.service"

uninstall: ## remove what `make install` put into PREFIX
	rm -rf "$(DESTDIR)$(PREFIX)/bin/soundd" "$(DESTDIR)$(PREFIX)/share/soundd"
	rm -f "$(DESTDIR)$(UNITDIR)/soundd.service" "$(DESTDIR)$(UNITDIR)/soundd.socket"

clean: ## remove what was built
	rm -rf .build Benchmarks/.build demo.wav demo.png

deps-build: PACKAGES := $(BUILD_PACKAGES)
deps-test: PACKAGES := $(TEST_PACKAGES)
deps-demo: PACKAGES := $(DEMO_PACKAGES)
deps-bench: PACKAGES := $(BENCH_PACKAGES)
deps-%:
	@missing=; for package in $(PACKAGES); do \
	  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	[ -z "$$missing" ] && exit 0; \
	command -v apt-get >/dev/null || { echo "Please install (these are Debian's names):$$missing" >&2; exit 69; }; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	echo "Installing:$$missing"; \
	export DEBIAN_FRONTEND=noninteractive; \
	$$sudo apt-get -qq -o DPkg::Lock::Timeout=300 update && \
	$$sudo apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $$missing >/dev/null
