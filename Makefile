# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `make help` says what there is.

BUILD   ?= build
CC      ?= gcc
CLANG   ?= clang
PREFIX  ?= /usr/local
T       ?=
SAN     ?= address,undefined

# V=1 shows the commands. What is said goes to stderr: a bench's JSON can be piped.
Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2) >&2)

ARCH_INCLUDE := /usr/include/$(shell uname -m)-linux-gnu
WARN      := -Wall -Wextra -Werror
BPF_FLAGS := -g -O2 -target bpf -mcpu=v3 $(WARN) -Wno-unused-parameter -Iinclude -I$(ARCH_INCLUDE)
CPPFLAGS  := -Iinclude -Iuser -isystem $(BUILD) -D_GNU_SOURCE
CFLAGS    ?= -O2 -g
CFLAGS    += -std=gnu11 $(WARN) -Wshadow -Wstrict-prototypes -Wmissing-prototypes
LIBS      := -lxdp -lbpf -ljson-c -lm

BIN   := $(BUILD)/xdp-dedup
SKELS := $(BUILD)/xdp_dedup.skel.h $(BUILD)/bench.skel.h
USER  := $(wildcard user/*.c)
OBJS  := $(USER:user/%.c=$(BUILD)/user/%.o)
# What the library has and the tool has no use for.
LIB_ONLY := libxdp-dedup libxdp-dedup-fips fips fips_heard fips_live fips_peers fips_rate
# The same without main, with sanitizers: what tests link.
SOBJS := $(patsubst user/%.c,$(BUILD)/san/%.o,$(filter-out user/main.c,$(USER)))

# The library for applications: its own objects, and of them only what its header names.
LIB       := $(BUILD)/libxdp-dedup
LIB_MAJOR := 0
LIB_OBJS  := $(patsubst %,$(BUILD)/lib/%.o,$(LIB_ONLY) clock filter ids want stats fill layout blocked flat countdown blocked_size array_size \
	       array_rate fips_count)
LIB_FILES := $(LIB).a $(LIB).so.$(LIB_MAJOR)

.PHONY: all
.DEFAULT_GOAL := all
all: $(BIN) $(LIB_FILES) ## build/xdp-dedup and build/libxdp-dedup.{a,so.0}

# Installs what is missing, as root; says so, if not.
.PHONY: deps
deps:
	@scripts/deps build $(if $(filter test demo test-vm lint bench bench-e2e,$(MAKECMDGOALS)),test)

# Recipes: a BPF program as a skeleton of this name; an object, a program with these flags.
define skeleton
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -c $< -o $(@:.skel.h=.bpf.o)
	$(Q)PATH=$$PATH:/usr/sbin bpftool gen skeleton $(@:.skel.h=.bpf.o) name $(1) > $@ 2> $@.log || \
		{ cat $@.log; rm -f $@; exit 1; }
endef
define compile
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(1) -MMD -MP -c $< -o $@
endef
define link
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(1) $(filter %.o,$^) $(2) -o $@
endef
comma := ,

$(BUILD)/xdp_dedup.skel.h: bpf/xdp_dedup.bpf.c $(wildcard bpf/*.h include/*.h) Makefile | deps
	$(call skeleton,xdp_dedup)

$(BUILD)/bench.skel.h: bpf/bench.bpf.c $(wildcard bpf/*.h include/*.h) Makefile | deps
	$(call skeleton,bench_bpf)

$(BUILD)/user/%.o: user/%.c $(SKELS) Makefile
	$(call compile)

$(BIN): $(filter-out $(LIB_ONLY:%=$(BUILD)/user/%.o),$(OBJS))
	$(call link,,$(LIBS))

$(BUILD)/lib/%.o: user/%.c Makefile | deps
	$(call compile,-fPIC)

$(LIB).so.$(LIB_MAJOR): $(LIB_OBJS) user/libxdp-dedup.map
	$(call link,-shared -Wl$(comma)-soname$(comma)$(notdir $@) -Wl$(comma)--version-script$(comma)user/libxdp-dedup.map,-lbpf -lm)

# In one object, so that what is not in the header is nobody else's business.
$(LIB).a: $(LIB_OBJS)
	$(call say,AR,$@)
	$(Q)$(LD) -r -o $(LIB).o $^
	$(Q)objcopy --wildcard --keep-global-symbol='xdp_dedup_*' $(LIB).o
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB).o

VERSION := $(shell sed -n 's/.*XDP_DEDUP_VERSION "\(.*\)"/\1/p' include/version.h)

-include $(OBJS:.o=.d) $(LIB_OBJS:.o=.d)

TEST_SOURCES := $(filter-out %.bpf.c,$(wildcard tests/*.c))

# Tests. Programs of tests/ROOT_TESTS use the kernel; the others run for anybody.
UNIT_TESTS := units id size hand stats kernel shape flat_size countdown age fips fips_peers pure \
	      bench_stream bench_figures prefixes links own_macs
FAST_TESTS := rate hand_model array_rate ids claim exact race
ROOT_TESTS := parse destination prog array_prog want seeds generational cli receivers status leftovers \
	      bpffs untold reopen layout layout_window lib timens lib_open lib_stats lib_share lib_want lib_fips \
	      lib_install e2e beside kill bench flood
TESTS      := $(addsuffix _test,$(UNIT_TESTS) $(FAST_TESTS) $(ROOT_TESTS))
TEST_BINS  := $(TESTS:%=$(BUILD)/tests/%)
SAN_FLAGS  := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
SAN_BIN    := $(BUILD)/san/xdp-dedup
TEST_LIBS  := -lcmocka $(LIBS)

$(BUILD)/san/%.o: user/%.c $(SKELS) Makefile
	$(call compile,$(SAN_FLAGS))

$(BUILD)/tests/%.o: tests/%.c $(SKELS) Makefile
	$(call compile,$(SAN_FLAGS))

$(SAN_BIN): $(BUILD)/san/main.o $(filter-out $(LIB_ONLY:%=$(BUILD)/san/%.o),$(SOBJS))
	$(call link,$(SAN_FLAGS),$(LIBS))

# What test programs share beside their own file.
TEST_SHARED := $(patsubst tests/%.c,$(BUILD)/tests/%.o, \
		 $(filter-out %_test.c %_main.c,$(TEST_SOURCES)))

$(BUILD)/tests/%_test: $(BUILD)/tests/%_test.o $(TEST_SHARED) $(SOBJS)
	$(call link,$(SAN_FLAGS),$(TEST_LIBS))

# The program that tests share an interface with.
$(BUILD)/tests/neighbour.o $(BUILD)/fast/neighbour.o: $(BUILD)/neighbour.skel.h
$(BUILD)/neighbour.skel.h: tests/neighbour.bpf.c Makefile | deps
	$(call skeleton,neighbour)

# The sender of `make bench-e2e`.
$(BUILD)/tests/flood.o $(BUILD)/fast/flood.o: $(BUILD)/flood.skel.h
$(BUILD)/flood.skel.h: tests/flood.bpf.c tests/flood_frame.h include/gsp.h Makefile | deps
	$(call skeleton,flood)

# Without sanitizers: what counts in hundreds of millions, or takes the time.
$(BUILD)/fast/%.o: tests/%.c $(SKELS) Makefile
	$(call compile)

$(FAST_TESTS:%=$(BUILD)/tests/%_test): $(BUILD)/tests/%_test: $(BUILD)/fast/%_test.o \
		$(TEST_SHARED:$(BUILD)/tests/%=$(BUILD)/fast/%) $(filter-out %/main.o,$(OBJS))
	$(call link,,$(TEST_LIBS))

# Keeps objects that only test programs need.
.SECONDARY:

-include $(wildcard $(BUILD)/san/*.d $(BUILD)/tests/*.d $(BUILD)/fast/*.d)

.PHONY: test
test: $(SAN_BIN) $(TEST_BINS) ## all tests, T=NAME for one; as root also those of the kernel
	$(Q)T='$(T)' tests/run $(TEST_BINS)

VM_SERIES := 6.1 6.12

# In emulation: the kernel's tests and traffic on Debian's kernels, also in a dispatcher.
.PHONY: test-vm
test-vm: $(SAN_BIN) $(ROOT_TESTS:%=$(BUILD)/tests/%_test) ## on Linux 6.1 and 6.12, in qemu
	$(Q)scripts/deps vm
	$(Q)tests/run-vm $(VM_SERIES)

.PHONY: lint
lint: $(SKELS) $(BUILD)/neighbour.skel.h $(BUILD)/flood.skel.h compile_commands.json ## clang-format, clang-tidy, cppcheck, shellcheck
	$(Q)scripts/deps lint
	$(call say,LINT,clang-format)
	$(Q)clang-format --dry-run -Werror $(SOURCES)
	$(call say,LINT,clang-tidy)
	$(Q)clang-tidy --quiet -p . $(USER) $(TEST_SOURCES) 2>/dev/null
	$(call say,LINT,cppcheck)
	$(Q)cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingIncludeSystem -Iinclude -Iuser -Itests \
		'-DLIBBPF_OPTS(type,name,...)=struct type name' \
		'-DDECLARE_LIBXDP_OPTS(type,name,...)=struct type name' \
		user $(TEST_SOURCES)
	$(call say,LINT,shellcheck)
	$(Q)shellcheck $(filter-out %.py,$(wildcard scripts/*)) tests/run tests/run-vm .ci/run

SOURCES := $(wildcard bpf/*.[ch] include/*.h user/*.[ch] tests/*.[ch])

.PHONY: format
format: ## clang-format, in place
	$(Q)clang-format -i $(SOURCES)

# One entry a file; the BPF program's flags differ.
compile_commands.json: Makefile
	$(Q)sep='['; { for f in $(USER) $(TEST_SOURCES); do \
		printf '%s\n{ "directory": "%s", "file": "%s", "command": "%s" }' "$$sep" '$(CURDIR)' \
			$$f "$(CC) $(CPPFLAGS) $(CFLAGS) -c $$f"; sep=,; done; \
		printf ',\n{ "directory": "%s", "file": "%s", "command": "%s" }\n]\n' '$(CURDIR)' \
			bpf/xdp_dedup.bpf.c "$(CLANG) $(BPF_FLAGS) -c bpf/xdp_dedup.bpf.c"; } > $@

.PHONY: install
install: all ## into PREFIX (/usr/local), DESTDIR before it
	$(Q)install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/sbin/xdp-dedup
	$(Q)install -d $(DESTDIR)$(PREFIX)/include
	$(Q)install -m 644 user/xdp-dedup.h user/xdp-dedup-fips.h $(DESTDIR)$(PREFIX)/include
	$(Q)install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' user/xdp-dedup.pc.in \
		> $(DESTDIR)$(PREFIX)/lib/pkgconfig/xdp-dedup.pc
	$(Q)install -m 644 $(LIB).a $(LIB).so.$(LIB_MAJOR) $(DESTDIR)$(PREFIX)/lib
	$(Q)ln -sf libxdp-dedup.so.$(LIB_MAJOR) $(DESTDIR)$(PREFIX)/lib/libxdp-dedup.so

# Without sanitizers too: the demo takes times.
$(BUILD)/tests/gossip: $(BUILD)/fast/gossip_main.o $(BUILD)/fast/gossip.o
	$(call link)

.PHONY: demo
demo: $(BIN) $(BUILD)/tests/gossip ## as root: gossip with the filter and without
	$(Q)BUILD='$(BUILD)' scripts/demo

$(BUILD)/tests/bench: $(BUILD)/fast/bench_main.o $(TEST_SHARED:$(BUILD)/tests/%=$(BUILD)/fast/%) \
		$(filter-out %/main.o,$(OBJS))
	$(call link,,$(TEST_LIBS))

.PHONY: bench
bench: $(BIN) $(BUILD)/tests/bench ## as root: what a packet costs, here and in the other layouts
	$(Q)$(BIN) bench
	$(Q)CMOCKA_MESSAGE_OUTPUT=TAP $(BUILD)/tests/bench | grep '^ '

.PHONY: bench-growth
bench-growth: $(BIN) ## as root: the same by ids, by fill and by p; tables and drawings
	$(Q)scripts/deps bench
	$(Q)scripts/bench-growth $(BIN) $(BUILD)

$(BUILD)/tests/e2e_bench: $(BUILD)/fast/e2e_bench_main.o \
		$(TEST_SHARED:$(BUILD)/tests/%=$(BUILD)/fast/%) $(filter-out %/main.o,$(OBJS))
	$(call link,,$(TEST_LIBS))

.PHONY: bench-path
bench-path: $(BIN) ## as root: the instructions that a packet takes; LIST=1 lists a duplicate's
	$(Q)scripts/deps bench
	$(Q)scripts/path.py $(BIN) $(if $(LIST),--list)

.PHONY: bench-e2e
bench-e2e: $(BIN) $(BUILD)/tests/e2e_bench ## as root: floods, filtered in XDP and behind a socket; BURST=N, JSON=1
	$(Q)XDP_DEDUP=$(BIN) $(BUILD)/tests/e2e_bench $(if $(BURST),--burst $(BURST)) $(if $(JSON),--json)

.PHONY: clean
clean: ## remove what was built
	$(Q)rm -rf $(BUILD)

.PHONY: help
help: ## this text
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
