# SPDX-License-Identifier: BSD-3-Clause
# A thin front door: CMake is the build (CMakePresets.json), the work is in tools/.
PRESET ?= release
PREFIX ?= /usr/local
BUILD := build/$(PRESET)
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
FUZZ_SECONDS ?= 60
HOURS ?= 8
TESTS ?= .
TARGETS ?= all
SETUP := $(if $(filter clang gate fuzz,$(PRESET)),all)
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif

CTEST = PAV_NVRTC=$$(tools/setup nvrtc) ctest --test-dir $(BUILD) --parallel $(JOBS) --tests-regex '$(TESTS)' --verbose

MAKEFLAGS += --no-print-directory

help: ## prints these lines
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 18
	@echo '  PRESET=release|debug|asan|tsan|gcc|clang|gate|fuzz   PREFIX=/usr/local   JOBS=N'

demo: setup $(BUILD)/CMakeCache.txt ## builds, runs examples/heat/heat3d.pav and leaves a picture in demo/
	@cmake --build $(BUILD) --parallel $(JOBS) --target pavior_cli
	@tools/demo $(BUILD)

check check-all: SETUP := $(or $(SETUP),tests)
check: build ## builds, runs all tests but the long ones and counts them
	@$(CTEST) --label-exclude '^long$$' 2>$(BUILD)/ctest.err | tools/tally

check-all: build ## builds, runs every test and counts them
	@$(CTEST) $(if $(LABEL),--label-regex '^$(LABEL)$$') 2>$(BUILD)/ctest.err | tools/tally

build: setup $(BUILD)/CMakeCache.txt ## installs what is missing and builds
	@cmake --build $(BUILD) --parallel $(JOBS) --target $(TARGETS)

$(BUILD)/CMakeCache.txt: | setup
	@cmake --preset $(PRESET) || { rm -f $@; exit 1; }

setup:
	@tools/setup $(SETUP)

lint: ## layers, formatting, clang-tidy, gcc and clang with warnings as errors
	@tools/lint

fuzz: ## runs each fuzz target for FUZZ_SECONDS (60)
	@$(MAKE) build PRESET=fuzz TARGETS=fuzzers
	@tools/fuzz-run build/fuzz $(FUZZ_SECONDS)

campaign: ## proves for HOURS (8) what the gate has no time for; goes on where it stopped
	@tools/campaign $(HOURS)

gallery: build ## runs examples and makes the picture of README.md again
	@tools/gallery $(BUILD)/pavior

site: SETUP := site
site: setup ## builds the documents as HTML in build/site
	@[ -x build/site-tools/bin/mkdocs ] || { python3 -m venv build/site-tools && build/site-tools/bin/pip install -q mkdocs-material; }
	@build/site-tools/bin/python tools/site

kernels: build ## compiles common kernels for x86-64, so that first runs need no compiler
	@cmake --build $(BUILD) --target kernels

install: kernels ## installs below PREFIX (DESTDIR is obeyed)
	@cmake --install $(BUILD) --prefix $(PREFIX)

deb: SETUP := deb
deb: setup ## makes packages for Debian and Ubuntu in build/packages
	@cmake --preset deb && cmake --build build/deb --parallel $(JOBS) --target all kernels
	@cd build/deb && cpack -G DEB -B ../packages && rm -rf ../packages/_CPack_Packages

clean: ## removes build/ and demo/
	rm -rf build demo

.PHONY: help demo check check-all build setup lint fuzz campaign gallery site kernels install deb clean
