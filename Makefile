# soundd: `make help` lists the targets. You need Swift 6.3 or newer; make installs everything else that is missing.

SWIFT ?= swift
DOCC ?= docc
# The libraries that soundd opens when it runs. It is built without them. The names of these packages are the same in each release of
# Debian, those of the libraries alone are not; the tests also need the headers, and so does a benchmark.
LIBRARY_PACKAGES := libasound2-dev libsndfile1-dev libsoxr-dev libpcre2-dev
# A sound server for the tests. If PulseAudio is installed, they run without one, because pipewire-alsa would remove it.
SERVER_PACKAGES := $(if $(wildcard /usr/bin/pulseaudio),,pipewire wireplumber pipewire-alsa)
TEST_PACKAGES := $(LIBRARY_PACKAGES) sox espeak-ng socat tmux rtkit gnuplot-nox mandoc mosquitto mosquitto-clients \
  openssh-client zsh fish jq nodejs python3-fusepy python3-jsonschema $(SERVER_PACKAGES)
DEMO_PACKAGES := $(LIBRARY_PACKAGES) sox gnuplot-nox
SOAK_PACKAGES := $(LIBRARY_PACKAGES) $(SERVER_PACKAGES) python3-numpy
TORTURE_PACKAGES := $(LIBRARY_PACKAGES) python3
VM_PACKAGES := qemu-system-x86 mmdebstrap genext2fs e2fsprogs arch-test
# dpkg-buildpackage finds no package for Swift: Debian has none of this version.
DEB_PACKAGES := debhelper dpkg-dev lintian mmdebstrap
BENCH_PACKAGES := $(LIBRARY_PACKAGES) valgrind
# The programs beside which `make bench` measures soundd, and a sound server, except beside PulseAudio.
PEER_PACKAGES := libsdl2-mixer-dev libopenal-dev alsa-utils dbus-daemon pipewire-bin $(SERVER_PACKAGES)
# The program is an eighth smaller without tables for unwinding. A command starts sooner without libgcc_s, without symbols that
# nobody looks up, and with packed relocations, which need glibc 2.36.
# All symbols are bound at the start, so that the table of them is read-only. The program neither looks for libraries beside
# itself nor has the path of the checkout, which only debug information needs.
PACKED := $(shell printf '2.36\n%s\n' "$$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -CV && echo -Xlinker -z -Xlinker pack-relative-relocs)
RELEASE := -c release --static-swift-stdlib -Xswiftc -Xclang-linker -Xswiftc -static-libgcc --disable-local-rpath \
  -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker now $(PACKED) -Xlinker --strip-debug \
  -Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker $(CURDIR)/packaging/no-unwinding.ld --product soundd
# XCTest is off, because the leak checker finds leaks in it. The tests must not use the machine's own RealtimeKit.
TEST := DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere $(SWIFT) test --disable-xctest
LINTED := Package.swift Sources Tests Benchmarks/Package.swift \
  $(addprefix Benchmarks/Sources/,RenderPath RenderPeers UpdatePath PlayCost PlayerCost Allocations Latency Loading FileChange) \
  Fuzz/Package.swift $(addprefix Fuzz/Sources/,Harness LineTarget JSONTarget ConfigurationTarget ClipTarget CollectionTarget)
WERROR := WERROR=1

.DEFAULT_GOAL := help
.PHONY: help run test test-unit check lint format build debug release sanitize fuzz fuzz-short test-vm soak restarts rhythms stacks promise torture torture-short nightly bench docs man examples taplo install uninstall deb tarball test-deb clean toolchain other-servers deps-%

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Without Swift, or with one that is too old or cannot start, this comes before anything is installed. A module that the compiler
# has cached holds the path of its folder; after a move the errors would name no remedy.
lint format debug release docs: toolchain
toolchain:
	@said=$$($(SWIFT) --version 2>&1); \
	version=$$(printf '%s\n' "$$said" | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1); \
	printf '6.3\n%s\n' "$$version" | sort -CV && exit 0; \
	{ echo "soundd is built with Swift 6.3 or newer; here is $${version:-none} ($(SWIFT))."; \
	  [ -n "$$version" ] || printf '%s\n' "$$said" | head -n 5; \
	  echo "Get it from https://www.swift.org/install/linux, then run make again; or: make SWIFT=/path/to/swift"; \
	  echo "Tried: Swift 6.3.1 on Debian 12, on x86-64."; } >&2; exit 69
	@for module in .build/*/*/ModuleCache/*/SwiftGlibc-*.pcm .build/*/*/*/ModuleCache/*/SwiftGlibc-*.pcm; do \
	  [ -e "$$module" ] || continue; \
	  path=$$(LC_ALL=C grep -a -o -m 1 '/[[:print:]]*/\.build/[[:print:]]*/ModuleCache' "$$module" | head -n 1); \
	  case $$path in '' | *"$(CURDIR)/.build/"*) continue ;; esac; \
	  echo ".build was made in $${path%%/.build/*} and cannot be used in another folder: rm -rf .build" >&2; exit 69; \
	done

run: deps-demo release ## build, then play a demonstration (without a sound card: draw it)
	examples/demo/run "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd"

test: deps-test other-servers ## run all tests
	$(TEST)

# PulseAudio and JACK, which are not installed. They come from Debian; elsewhere their tests are left out.
other-servers:
	@Tests/stacks/fetch || echo "The tests on PulseAudio and JACK are left out." >&2

# Fewer random steps and cases than in `make test`, and nothing that takes a second by itself.
test-unit: deps-test ## run the quick tests: about 30 s once built
	SOUNDD_QUICK=1 $(TEST) --skip IntegrationTests

check: deps-test other-servers lint ## do what CI does: format, lint, debug and release builds with warnings as errors, tests
	$(WERROR) $(SWIFT) build --build-tests
	$(WERROR) $(SWIFT) build $(RELEASE)
	$(WERROR) $(TEST)

lint: ## check the format and style of the sources
	$(SWIFT) format lint --strict --recursive $(LINTED)

format: ## format the sources in place
	$(SWIFT) format --in-place --recursive $(LINTED)

build: debug ## build for debugging
debug:
	$(SWIFT) build

# The linker looks beside the products first. If it finds the C++ library there as an archive, it links that statically, and a
# command starts in two thirds of the time.
release: ## build for release, with Swift's libraries linked statically
	@library=$$(cc -print-file-name=libstdc++.a 2>/dev/null || :); \
	folder=$$($(SWIFT) build $(RELEASE) --show-bin-path); \
	case $$library in /*) mkdir -p "$$folder" && ln -sf "$$library" "$$folder/libstdc++.a" ;; esac
	$(SWIFT) build $(RELEASE)
	packaging/verify "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd"

# Foundation leaks a little in the tests, so the leak check is off. The Thread Sanitizer does not know pthread_clockjoin_np and
# takes each audio thread for one that nobody has joined.
# At the end of a program it would sleep for a second, so that other threads may race.
sanitize: deps-test other-servers ## run the tests under the Thread and the Address Sanitizer
	TSAN_OPTIONS="report_thread_leaks=0 atexit_sleep_ms=0" $(TEST) --sanitize=thread --scratch-path .build/thread
	ASAN_OPTIONS=detect_leaks=0 $(TEST) --sanitize=address --scratch-path .build/address

fuzz: deps-libraries ## fuzz each target for an hour or MINUTES, one per processor at once
	Fuzz/run --seconds $$(($(MINUTES) * 60))

fuzz-short: deps-libraries ## fuzz each target for a minute, from one seed
	Fuzz/run --seconds 60 --seed 1

test-vm: deps-vm deb ## run the Debian package on real drivers, in a Debian guest under QEMU
	Tests/vm/run .build/package/soundd_*.deb

MINUTES ?= 60
soak: deps-soak release ## play random triggers on a sound server for an hour or MINUTES, and check the recording
	Tests/soak/soak "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --minutes $(MINUTES)

TIMES ?= 50
restarts: deps-soak release ## kill and restart the sound server 50 or TIMES times while sounds play; then also soundd, under an alarm
	Tests/soak/restarts "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --times $(TIMES)
	Tests/soak/alarms "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --times $(TIMES)

rhythms: deps-soak release ## a sound server that comes and goes in 50 or TIMES random rhythms: the next sound is heard
	Tests/soak/rhythms "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --times $(TIMES)

# The guest takes most of the time: GUEST= leaves it out.
GUEST ?= yes
stacks: deps-soak $(if $(GUEST),deps-vm deb,release) ## play on each sound stack (PipeWire, PulseAudio, JACK, dmix …): what is heard, how soon, what runs at rest
	Tests/stacks/fetch
	Tests/stacks/run "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --markdown \
	  $(if $(GUEST),--guest .build/package/soundd_*.deb)

WORLDS ?= 1000000
promise: deps-test ## a million or WORLDS random worlds in which each critical alarm must be heard
	SOUNDD_PROMISE_WORLDS=$(WORLDS) $(TEST) -c release -Xswiftc -enable-testing --scratch-path .build/promise \
	  --filter AlarmPromiseTests

torture: deps-torture release ## fail every call, cut the power, kill at random moments: at most 20 minutes
	Tests/torture/torture "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" $(if $(SEED),--seed $(SEED))

torture-short: deps-torture release ## some of that, from one seed, within a minute
	Tests/torture/torture "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd" --short --seed 1

# One fails without keeping the others from running.
nightly: ## all that CI leaves out because it takes hours
	@failed=; for target in test-vm torture sanitize "soak MINUTES=10" restarts rhythms promise stacks bench; do \
	  echo "== make $$target"; $(MAKE) --no-print-directory $$target || failed="$$failed, $$target"; \
	done; \
	[ -z "$$failed" ] || { echo "failed:$${failed#,}" >&2; exit 1; }

bench: deps-bench ## measure instruction counts, and times beside other programs
	-@$(MAKE) --no-print-directory deps-peers
	Benchmarks/run

# Neither builds, so that `sudo make install` never builds as root. packaging/install describes the variables.
install: ## copy what `make release` built into PREFIX (default /usr/local)
	@packaging/install

uninstall: ## remove what `make install` put into PREFIX
	@packaging/install uninstall

deb: deps-deb release ## build a Debian package in .build/package
	packaging/pack deb

tarball: release ## pack what `make install` installs, in .build/package
	packaging/pack tarball

test-deb: deps-deb deb tarball ## install, upgrade, remove and purge the package in a clean Debian
	packaging/test

# Both modules go into one archive, so that the guides can link to either.
examples: deps-test release ## build the library's examples as a program elsewhere would, and hear them
	examples/library/check "$$($(SWIFT) build $(RELEASE) --show-bin-path)/soundd"

docs: ## build the library's documentation into .build/docs
	$(SWIFT) build --target SoundTriggerTesting
	@rm -rf .build/docs .build/symbols; mkdir -p .build/symbols; \
	folder=$$($(SWIFT) build --show-bin-path) || exit; \
	triple=$$($(SWIFT) -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p'); \
	for module in SoundTrigger SoundTriggerTesting; do \
	  $(SWIFT) symbolgraph-extract -module-name $$module -target "$$triple" -output-dir .build/symbols \
	    -minimum-access-level public -skip-synthesized-members \
	    $$(printf -- '-I %s ' "$$folder/Modules" "$$folder"/C*.build) || exit; \
	done
	$(DOCC) convert Sources/SoundTrigger/SoundTrigger.docc --additional-symbol-graph-dir .build/symbols \
	  --fallback-display-name SoundTrigger --fallback-bundle-identifier soundd.SoundTrigger \
	  --warnings-as-errors --output-path .build/docs

man: deps-man ## render the manual pages of docs/man as Markdown into docs
	docs/man/render

# From PyPI, because Debian does not have it.
taplo: deps-taplo ## install Taplo into .build, with which a test checks the schema of the configuration
	@[ -x .build/taplo/bin/taplo ] || { /usr/bin/python3 -m venv .build/taplo && .build/taplo/bin/pip install -q taplo==0.9.3; }

clean: ## remove what was built
	rm -rf .build Benchmarks/.build Fuzz/.build demo.wav demo.png

deps-libraries: PACKAGES := $(LIBRARY_PACKAGES)
deps-test: PACKAGES := $(TEST_PACKAGES)
deps-demo: PACKAGES := $(DEMO_PACKAGES)
deps-taplo: PACKAGES := python3-venv
deps-soak: PACKAGES := $(SOAK_PACKAGES)
deps-torture: PACKAGES := $(TORTURE_PACKAGES)
deps-vm: PACKAGES := $(VM_PACKAGES)
deps-deb: PACKAGES := $(DEB_PACKAGES)
deps-bench: PACKAGES := $(BENCH_PACKAGES)
deps-man: PACKAGES := mandoc
deps-peers: PACKAGES := $(PEER_PACKAGES)
# The tests start a broker of their own. So if they alone need mosquitto, its service does not run.
deps-%: toolchain
	@missing=; for package in $(PACKAGES); do \
	  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	[ -z "$$missing" ] && exit 0; \
	command -v apt-get >/dev/null || { echo "Please install (these are Debian's names):$$missing" >&2; exit 69; }; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	export DEBIAN_FRONTEND=noninteractive; \
	$$sudo apt-get -qq -o DPkg::Lock::Timeout=300 update || exit; \
	all=$$(apt-get -s install --no-install-recommends $$missing | sed -n 's/^Inst \([^ ]*\).*/ \1/p' | tr -d '\n'); \
	echo "Installing:$$missing (with what they need:$$all)" | fold -s -w 100; \
	$$sudo apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $$missing >/dev/null || exit; \
	case "$$missing " in *" mosquitto "*) $$sudo systemctl --quiet disable --now mosquitto 2>/dev/null || :; esac
