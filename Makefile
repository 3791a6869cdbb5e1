# soundd: `make help` lists the targets. Only Swift (6.3 or newer) must be there; what else is missing is installed.

PREFIX ?= /usr/local
DESTDIR ?=
# systemd looks for a user's own units (PREFIX=~/.local) in share, for those of all users in lib.
UNITDIR ?= $(PREFIX)/$(if $(filter $(HOME)/%,$(PREFIX)),share,lib)/systemd/user
SWIFT ?= swift
BUILD_PACKAGES := libasound2-dev libsndfile1-dev libsoxr-dev libpcre2-dev pkg-config
# A sound server for the tests; where PulseAudio is, which pipewire-alsa would remove, they do without.
SERVER_PACKAGES := $(if $(wildcard /usr/bin/pulseaudio),,pipewire wireplumber pipewire-alsa)
TEST_PACKAGES := $(BUILD_PACKAGES) sox socat rtkit gnuplot-nox mosquitto mosquitto-clients $(SERVER_PACKAGES)
DEMO_PACKAGES := $(BUILD_PACKAGES) sox gnuplot-nox
SOAK_PACKAGES := $(BUILD_PACKAGES) $(SERVER_PACKAGES) python3-numpy
VM_PACKAGES := $(BUILD_PACKAGES) qemu-system-x86 mmdebstrap genext2fs e2fsprogs arch-test
BENCH_PACKAGES := $(BUILD_PACKAGES) valgrind
# What soundd is compared with. Where PulseAudio is, which pipewire-alsa would remove, there is no sound server of ours.
PEER_PACKAGES := libsdl2-mixer-dev libopenal-dev alsa-utils dbus-daemon pipewire-bin $(SERVER_PACKAGES)
RELEASE := -c release --static-swift-stdlib --product soundd
# XCTest is not used, and the leak checker trips over it. The machine's own RealtimeKit serves its user, not tests.
TEST := DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere $(SWIFT) test --disable-xctest
LINTED := Package.swift Sources Tests Benchmarks/Package.swift \
  $(addprefix Benchmarks/Sources/,RenderPath RenderPeers UpdatePath PlayCost Allocations Latency Loading FileChange) \
  Fuzz/Package.swift $(addprefix Fuzz/Sources/,Harness LineTarget JSONTarget ConfigurationTarget ClipTarget)
WERROR := WERROR=1

.DEFAULT_GOAL := help
.PHONY: help run test check lint format build debug release sanitize fuzz fuzz-short test-vm soak restarts bench install uninstall clean deps-%

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

# The linker looks beside the products first: with the C++ library as an archive there, it goes inside as well, and a
# command starts in two thirds of the time.
release: deps-build ## build for release, with Swift's own libraries inside
	@library=$$(cc -print-file-name=libstdc++.a 2>/dev/null || :); \
	folder=$$($(SWIFT) build $(RELEASE) --show-bin-path); \
	case $$library in /*) mkdir -p "$$folder" && ln -sf "$$library" "$$folder/libstdc++.a" ;; esac
	$(SWIFT) build $(RELEASE)

# Foundation itself leaks a little in the tests, so leaks are not looked for.
sanitize: deps-test ## run the tests under the Thread and the Address Sanitizer
	$(TEST) --sanitize=thread --scratch-path .build/thread
	ASAN_OPTIONS=detect_leaks=0 $(TEST) --sanitize=address --scratch-path .build/address

fuzz: deps-build ## feed each fuzz target for an hour or MINUTES, as many at once as there are processors
	Fuzz/run --seconds $$(($(MINUTES) * 60))

fuzz-short: deps-build ## the same for a minute, from one seed
	Fuzz/run --seconds 60 --seed 1

test-vm: deps-vm release ## run the release build on real drivers, in a Debian guest under QEMU
	Tests/vm/run "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd"

MINUTES ?= 60
soak: deps-soak release ## random triggers on a sound server, for an hour or MINUTES; what is heard must be without a fault
	Tests/soak/soak "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --minutes $(MINUTES)

TIMES ?= 50
restarts: deps-soak release ## kill and start the sound server 50 or TIMES times while sounds play
	Tests/soak/restarts "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --times $(TIMES)

bench: deps-bench ## measure: instruction counts, and times beside other programs
	-@$(MAKE) --no-print-directory deps-peers
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
	rm -rf .build Benchmarks/.build Fuzz/.build demo.wav demo.png

deps-build: PACKAGES := $(BUILD_PACKAGES)
deps-test: PACKAGES := $(TEST_PACKAGES)
deps-demo: PACKAGES := $(DEMO_PACKAGES)
deps-soak: PACKAGES := $(SOAK_PACKAGES)
deps-vm: PACKAGES := $(VM_PACKAGES)
deps-bench: PACKAGES := $(BENCH_PACKAGES)
deps-peers: PACKAGES := $(PEER_PACKAGES)
# The tests start a broker of their own: where only they want mosquitto, its service need not run.
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
	$$sudo apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $$missing >/dev/null || exit; \
	case "$$missing " in *" mosquitto "*) $$sudo systemctl --quiet disable --now mosquitto 2>/dev/null || :; esac
