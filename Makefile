# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `make help` lists the targets.

BUILD   ?= build
T       ?=
SAN     ?= address,undefined
WERROR  ?= -Werror
HARDEN  ?= 1

comma := ,

# Runs one recipe for each CPU at a time, unless -j is given. Several goals are made in their order:
# `make clean all`.
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# For another machine: CROSS_COMPILE=aarch64-linux-gnu- or CC=aarch64-linux-gnu-gcc.
ifeq ($(origin CC),default)
CC := $(if $(CROSS_COMPILE),$(CROSS_COMPILE)gcc,$(if $(shell command -v cc),cc,gcc))
endif
ifeq ($(origin AR),default)
AR = $(shell $(CC) -print-prog-name=ar)
endif
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)

# Where files are installed. PREFIX=/usr puts libraries into Debian's directory, lib/TRIPLET.
PREFIX       ?= /usr/local
BINDIR       ?= $(PREFIX)/bin
LIBEXECDIR   ?= $(PREFIX)/libexec/xdp-dedup
DATADIR      ?= $(PREFIX)/share/xdp-dedup
INCLUDEDIR   ?= $(PREFIX)/include
LIBDIR       ?= $(PREFIX)/lib$(if $(filter /usr,$(PREFIX)),$(addprefix /,$(shell $(CC) -print-multiarch)))
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
MANDIR       ?= $(PREFIX)/share/man
BASHDIR      ?= $(PREFIX)/share/bash-completion/completions
UNITDIR      ?= $(PREFIX)/lib/systemd/system
SYSCONFDIR   ?= $(filter-out /usr /usr/local,$(PREFIX))/etc
ZSHDIR       ?= $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

# V=1 shows the commands. Messages go to stderr, so that a bench's JSON can be piped.
Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2) >&2)

# The user's CPPFLAGS, CFLAGS, LDFLAGS, LDLIBS and, for BPF programs, BPF_CFLAGS follow the required
# flags. HARDEN= turns hardening off. _FORTIFY_SOURCE needs optimization; the user may set it.
CFLAGS ?= -O2 -g
WARN   := -Wall -Wextra $(WERROR)
C_WARN := $(WARN) -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ifneq ($(HARDEN),)
optimized := $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
chosen    := $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))$(findstring -fsanitize,$(CFLAGS))
FORTIFY   := $(if $(optimized),$(if $(chosen),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDENED  := -fstack-protector-strong
PIE       := -fPIE
PIE_LINK  := -pie
RELRO     := -Wl,-z,relro -Wl,-z,now
endif
ALL_CFLAGS = -std=gnu11 $(C_WARN) $(HARDENED) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS)

# The first recipe that needs one of these values computes it, once: so after `make deps`.
once = $(eval $(1) := $$(shell $(2)))$($(1))
PKG_CONFIG ?= $(filter %-,$(patsubst %gcc,%,$(notdir $(firstword $(CC)))))pkg-config
PKGS        = libxdp libbpf libmnl json-c inih libpcap ncursesw libsystemd
PKG_CFLAGS  = $(call once,PKG_CFLAGS,$(PKG_CONFIG) --cflags $(PKGS) $(if $(NATS),libnats libcrypto) 2>/dev/null | sed 's|-I[^ ]*/json-c||')
PKG_LIBS    = $(call once,PKG_LIBS,$(PKG_CONFIG) --libs $(PKGS) 2>/dev/null || echo -lxdp -lbpf -lmnl -ljson-c -linih -lpcap -lncursesw -lsystemd)
LIBMETRICS  = $(call once,LIBMETRICS,$(PKG_CONFIG) --libs libmicrohttpd libsystemd 2>/dev/null || echo -lmicrohttpd -lsystemd)
LIBPUBLISH  = $(call once,LIBPUBLISH,$(PKG_CONFIG) --libs libnats json-c inih libsystemd libcrypto 2>/dev/null || echo -lnats -ljson-c -linih -lsystemd -lcrypto)
LIBBPF      = $(call once,LIBBPF,$(PKG_CONFIG) --libs libbpf 2>/dev/null || echo -lbpf)
BPF_TARGET  = $(call once,BPF_TARGET,$(TOOLS) bpf-flags)
CLANG      ?= $(call once,CLANG,CLANG= $(TOOLS) clang)
BPFTOOL    ?= PATH=$$PATH:/usr/sbin bpftool
TOOLS       = CC='$(CC)' FLAGS='$(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)' scripts/tools

LIBS      = -Wl,--as-needed $(PKG_LIBS) -lm $(LDLIBS)
BPF_FLAGS = -g -O2 -target bpf -mcpu=v3 $(WARN) -Wno-unused-parameter -Iinclude -Ibpf $(BPF_TARGET) $(BPF_CFLAGS)

# These targets install missing packages; other targets report what is missing.
WITH_DEPS := $(filter test% demo% pictures lint bench% fuzz%,$(MAKECMDGOALS))

# Is libnats here, or will this run install it? Only xdp-dedup-publish needs it, and is left out
# without it. `NATS=` leaves it out in any case.
found = $(filter /%,$(shell $(CC) -print-file-name=$(1).so 2>/dev/null))
ifeq ($(origin NATS),undefined)
NATS := $(if $(WITH_DEPS)$(filter deps,$(MAKECMDGOALS)),$(shell command -v dpkg-query))
NATS := $(or $(NATS),$(and $(call found,libnats),$(call found,libcrypto)),$(shell $(PKG_CONFIG) --exists libnats libcrypto 2>/dev/null && echo yes))
endif
LEFT_OUT := $(if $(NATS),,user/publish/% tests/publish/% tests/fixture/publish/% tests/unit/publish/%)

# Which room may include headers of which rooms, from ARCHITECTURE.md: ROOMS_cli := cli check ...
# Tests may include all headers.
$(foreach line,$(shell scripts/rooms | tr ' ' ,),$(eval ROOMS_$(subst :,:=,$(subst $(comma), ,$(line)))))
room = $(word 2,$(subst /, ,$(1)))
dirs = $(if $(filter tests/%,$(1)),$(wildcard tests/fixture/*/) tests/bench tests/bench/tool $(wildcard user/*),$(addprefix user/,$(ROOMS_$(room))))
CPPFLAGS_OF = -Iinclude $(addprefix -I,$(call dirs,$(1))) -isystem $(BUILD) -D_GNU_SOURCE

# Objects are built in up to three ways: plain, as PIC for the library, with sanitizers.
sources = $(filter-out %.bpf.c $(LEFT_OUT),$(wildcard $(1)))
objects = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(call sources,$(2)))

BIN     := $(BUILD)/xdp-dedup
SAN_BIN := $(BUILD)/san/xdp-dedup
SKELS   := $(BUILD)/xdp_dedup.skel.h
PROFILES := $(BUILD)/builtin_profiles.h
REPORT  := $(BUILD)/report_page.h
MADE    := $(SKELS) $(PROFILES) $(REPORT)
USER    := $(call sources,user/*/*.c)
MAINS   := $(call sources,user/*/main.c)
# The objects of a room, and of all rooms that it uses.
below    = $(call objects,$(1),$(patsubst %,user/%/*.c,$(filter-out ../bpf,$(ROOMS_$(2)))))
TOOL     = $(call below,$(1),tool)

# The bench is a program of its own: machines with filters do not need it.
BENCH     := $(BUILD)/xdp-dedup-bench
SAN_BENCH := $(BUILD)/san/xdp-dedup-bench
BENCH_OBJS = $(call objects,$(1),tests/bench/tool/*.c) $(call below,$(1),load)

# Serves files of metrics, without any rights. It is a program of its own, so that no other program
# needs libmicrohttpd.
METRICS     := $(BUILD)/xdp-dedup-metrics
SAN_METRICS := $(BUILD)/san/xdp-dedup-metrics
METRICS_OBJS = $(call below,$(1),metrics)

# Publishes fresh events, by the library alone. In the build tree it finds the library beside itself.
PUBLISH     := $(if $(filter user/publish/%,$(MAINS)),$(BUILD)/xdp-dedup-publish)
SAN_PUBLISH := $(if $(PUBLISH),$(BUILD)/san/xdp-dedup-publish)
PUBLISH_OBJS = $(call below,$(1),publish)
# As it is installed: it has the library's directory if ld.so does not look there.
PUBLISH_RUNPATH   := $(if $(filter /usr /usr/local,$(PREFIX)),,$(LIBDIR))
PUBLISH_INSTALLED := $(BUILD)/installed$(PUBLISH_RUNPATH)/xdp-dedup-publish

# The library for applications, with the objects that it needs from other rooms, and of these the
# functions that it calls: of the packet program it needs only what identifies packets.
LIB       := $(BUILD)/libxdp-dedup
LIB_MAJOR := 0
LIB_OBJS  := $(call objects,pic,user/lib/*.c user/fips/*.c) $(BUILD)/pic/filter.a
LIB_FILES := $(LIB).a $(LIB).so.$(LIB_MAJOR)

.PHONY: all
.DEFAULT_GOAL := all
all: $(BIN) $(METRICS) $(LIB_FILES) $(PUBLISH) ## build/xdp-dedup, build/xdp-dedup-{metrics,publish} and build/libxdp-dedup.{a,so.0}
	$(if $(NATS),,$(call say,SKIP,"xdp-dedup-publish: libnats or libcrypto is missing"))

.PHONY: deps
deps: ## as root: install the packages that the build needs
	@scripts/deps build $(if $(WITH_DEPS),test) $(if $(filter fuzz%,$(MAKECMDGOALS)),fuzz)

$(BUILD)/tools: | $(if $(WITH_DEPS)$(filter deps,$(MAKECMDGOALS)),deps)
	@CLANG='$(CLANG)' BPFTOOL='$(BPFTOOL)' LIBS='$(LIBS) $(LIBMETRICS) $(if $(NATS),$(LIBPUBLISH))' $(TOOLS)
	@mkdir -p $(@D) && touch $@

# Recipes. skeleton: makes a skeleton of this name from a BPF program. compile, link: make an object
# or a program with these flags. `gen object` removes DWARF, and keeps the BTF, including that of
# lines and relocations (.BTF.ext).
define skeleton
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -c $< -o $(@:.skel.h=.dwarf.o)
	$(Q){ $(BPFTOOL) gen object $(@:.skel.h=.bpf.o) $(@:.skel.h=.dwarf.o) && \
		$(BPFTOOL) gen skeleton $(@:.skel.h=.bpf.o) name $(1) > $@; } 2> $@.log || \
		{ cat $@.log; rm -f $@; exit 1; }
endef
# The packet program reads words at any address, which is allowed in the kernel.
PACKETS_OF = $(if $(filter user/program/%,$(1)),-fno-strict-aliasing $(if $(SAN),-fno-sanitize=alignment))
COMPILER = $(CC)
define compile
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILER) $(call CPPFLAGS_OF,$<) $(1) $(ALL_CFLAGS) $(2) $(call PACKETS_OF,$<) $(MAIN_OF) -MD -MP -c $< -o $@
endef
define link
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(if $(findstring -shared,$(1)),,$(PIE_LINK)) $(1) $(CFLAGS) $(RELRO) $(LDFLAGS) \
		$(filter %.o %.a,$^) $(2) -o $@
endef

$(BUILD)/xdp_dedup.skel.h: bpf/xdp_dedup.bpf.c $(wildcard bpf/*.h include/*.h) Makefile | $(BUILD)/tools
	$(call skeleton,xdp_dedup)

# Another XDP program on an interface of the filter.
$(BUILD)/neighbour.skel.h: tests/fixture/e2e/neighbour.bpf.c Makefile | $(BUILD)/tools
	$(call skeleton,neighbour)
# Delays a filter's timer.
$(BUILD)/late_hand.skel.h: tests/fixture/e2e/late_hand.bpf.c Makefile | $(BUILD)/tools
	$(call skeleton,late_hand)
# The generator of xdp-dedup-bench, and what the filter is compared with.
$(BUILD)/bench.skel.h: tests/bench/tool/bench.bpf.c tests/bench/tool/bench_stream.h $(wildcard bpf/*.h include/*.h) Makefile | $(BUILD)/tools
	$(call skeleton,bench_bpf)
# The sender of `make bench-e2e`.
$(BUILD)/flood.skel.h: tests/bench/flood.bpf.c tests/bench/flood_frame.h include/gsp.h Makefile | $(BUILD)/tools
	$(call skeleton,flood)
TEST_SKELS := $(BUILD)/neighbour.skel.h $(BUILD)/late_hand.skel.h $(BUILD)/bench.skel.h $(BUILD)/flood.skel.h

# Prints a text as a C string.
AS_STRING = sed 's/[\\"]/\\&/g; s/.*/"&\\n"/'

# The built-in profiles, each as its name and its text. The directory changes if a file is removed.
$(PROFILES): $(wildcard user/spec/profiles/*.ini) user/spec/profiles/. Makefile | $(BUILD)/tools
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)for n in $(sort $(basename $(notdir $(filter %.ini,$^)))); do \
		echo "{ \"$$n\"," && $(AS_STRING) user/spec/profiles/$$n.ini && echo '},' || exit 1; done > $@.tmp
	$(Q)mv $@.tmp $@
$(REPORT): user/cli/report.html Makefile | $(BUILD)/tools
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(AS_STRING) $< > $@.tmp
	$(Q)mv $@.tmp $@

SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# UBSan has 100,000 addresses in .data. A program at a fixed address need not relocate them: tests
# start such programs thousands of times.
SAN_LINK  := $(if $(SAN),$(SAN_FLAGS) -no-pie)
# Reports of sanitizers need lines, not variables. Most tests' own code is compiled once and runs
# briefly: -O1 takes two thirds of the time of -O2, but gcc then knows less of the lengths of texts.
BRIEF     = $(filter %_test.c,$(filter-out tests/stress/%,$<))
OWN_LEVEL = $(if $(filter file,$(origin CFLAGS)),$(if $(or $(1),$(BRIEF)),-g1) $(if $(BRIEF),-O1 -Wno-format-truncation))

$(BUILD)/obj/%.o: %.c Makefile | $(MADE) $(TEST_SKELS)
	$(call compile,$(PIE) $(FORTIFY),$(call OWN_LEVEL))
$(BUILD)/pic/%.o: %.c Makefile | $(MADE)
	$(call compile,-fPIC -ffunction-sections -fdata-sections $(FORTIFY))
$(BUILD)/san/%.o: %.c Makefile | $(MADE) $(TEST_SKELS)
	$(call compile,$(PIE) $(SAN_FLAGS) -DBUILT='"build/san"',$(call OWN_LEVEL,$(SAN)))

$(BIN): $(call TOOL,obj)
	$(call link,,$(LIBS))
$(SAN_BIN): $(call TOOL,san)
	$(call link,$(SAN_LINK),$(LIBS))
$(METRICS): $(call METRICS_OBJS,obj)
	$(call link,,-Wl$(comma)--as-needed $(LIBMETRICS) -lm $(LDLIBS))
$(SAN_METRICS): $(call METRICS_OBJS,san)
	$(call link,$(SAN_LINK),-Wl$(comma)--as-needed $(LIBMETRICS) -lm $(LDLIBS))
LINK_PUBLISH = -Wl$(comma)--as-needed $(if $(1),-Wl$(comma)-rpath$(comma)$(1)) $(LIB).so.$(LIB_MAJOR) $(LIBPUBLISH) -lm $(LDLIBS)
$(BUILD)/xdp-dedup-publish: $(call PUBLISH_OBJS,obj) $(LIB).so.$(LIB_MAJOR)
	$(call link,,$(call LINK_PUBLISH,'$$ORIGIN'))
$(PUBLISH_INSTALLED): $(call PUBLISH_OBJS,obj) $(LIB).so.$(LIB_MAJOR)
	$(call link,,$(call LINK_PUBLISH,$(PUBLISH_RUNPATH)))
$(BUILD)/san/xdp-dedup-publish: $(sort $(call PUBLISH_OBJS,san) $(call below,san,lib))
	$(call link,$(SAN_LINK),$(LIBS) $(LIBPUBLISH))
$(BENCH): $(call BENCH_OBJS,obj)
	$(call link,,$(LIBS))
$(SAN_BENCH): $(call BENCH_OBJS,san)
	$(call link,$(SAN_LINK),$(LIBS))

$(BUILD)/pic/filter.a: $(filter-out $(call objects,pic,user/lib/*.c user/fips/*.c),$(call below,pic,lib))
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(LIB).so.$(LIB_MAJOR): $(LIB_OBJS) user/lib/libxdp-dedup.map
	$(call link,-shared -Wl$(comma)--gc-sections -Wl$(comma)-soname$(comma)$(notdir $@) -Wl$(comma)--version-script$(comma)user/lib/libxdp-dedup.map,$(LIBBPF) -lm $(LDLIBS))

# In one object, so that functions that are not in the header are local to it.
$(LIB).a: $(LIB_OBJS)
	$(call say,AR,$@)
	$(Q)$(CC) $(CFLAGS) $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) -r -nostdlib \
		-Wl,--build-id=none -o $(LIB).o $^
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='xdp_dedup_*' $(LIB).o
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB).o

# Man pages and completion have verbs and options from the tool's help. If the tool is built for
# another machine, a native tool is built, too.
PAGES      := $(patsubst user/%,$(BUILD)/%,$(wildcard user/man/*.[0-9]))
BENCH_PAGE := $(BUILD)/man/xdp-dedup-bench.8
PUBLISH_PAGE := $(BUILD)/man/xdp-dedup-publish.8
PAGES      := $(if $(PUBLISH),$(PAGES),$(filter-out $(PUBLISH_PAGE),$(PAGES)))
INSTALLED_PAGES := $(filter-out $(BENCH_PAGE),$(PAGES))
COMPLETION := $(BUILD)/completion/xdp-dedup.bash $(BUILD)/completion/xdp-dedup.zsh
PUBLISH_COMPLETION := $(BUILD)/completion/xdp-dedup-publish.bash $(BUILD)/completion/xdp-dedup-publish.zsh

.PHONY: manual
manual: $(PAGES) $(COMPLETION) $(if $(PUBLISH),$(PUBLISH_COMPLETION)) ## build/man and build/completion, for bash and zsh

$(BUILD)/here/%: $(BUILD)/%
	$(Q)mkdir -p $(@D)
	$(Q)if $< --version >/dev/null 2>&1; then ln -sf ../$* $@; else \
		$(MAKE) --no-print-directory BUILD=$(BUILD)/native CC=cc CROSS_COMPILE= $(BUILD)/native/$* && \
		ln -sf ../native/$* $@; fi

define generate
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)scripts/manual $< $(1) > $@.tmp && mv $@.tmp $@
endef
MANUAL := scripts/manual scripts/tables user/man/keys user/man/roff.awk user/control/facts.h user/completion/words include/version.h
$(BENCH_PAGE): user/man/xdp-dedup-bench.8 $(BUILD)/here/xdp-dedup-bench $(MANUAL)
	$(call generate,$(BUILD)/here/xdp-dedup-bench)
$(PUBLISH_PAGE): user/man/xdp-dedup-publish.8 $(BUILD)/here/xdp-dedup-publish $(MANUAL)
	$(call generate,$(BUILD)/here/xdp-dedup-publish)
$(COMPLETION): $(BUILD)/completion/xdp-dedup.%: user/completion/completion.% $(BUILD)/here/xdp-dedup $(MANUAL)
	$(call generate,$(BUILD)/here/xdp-dedup)
$(PUBLISH_COMPLETION): $(BUILD)/completion/xdp-dedup-publish.%: user/completion/completion.% $(BUILD)/here/xdp-dedup-publish $(MANUAL)
	$(call generate,$(BUILD)/here/xdp-dedup-publish)
$(filter-out $(BENCH_PAGE) $(PUBLISH_PAGE),$(PAGES)): $(BUILD)/%: user/% $(BUILD)/here/xdp-dedup $(MANUAL) \
		$(wildcard user/api/*.h user/spec/profiles/*.ini) user/spec/profiles/. user/cli/PROFILES.md user/cli/FEEDS.md
	$(call generate,$(BUILD)/here/xdp-dedup)

VERSION := $(shell sed -n 's/.*XDP_DEDUP_VERSION "\(.*\)"/\1/p' include/version.h)

# Tests: each tests/ROOM/NAME_test.c, or tests/unit/ROOM/NAME_test.c, is a program,
# build/tests/NAME_test.
TEST_SOURCES := $(call sources,tests/*/*.c tests/*/*/*.c)
TESTS        := $(call sources,tests/*/*_test.c tests/*/*/*_test.c)
# The longest ones begin first, so that none of them still runs alone at the end.
LONGEST      := $(patsubst %,$(BUILD)/tests/%_test,publish_cluster every_call publish_faults publish publish_growth leftovers cli sampling change run save replay \
		profile_packets watch rate fault lib_change e2e survey lib_identity sample untold layout engines \
		seeds parse array_prog readings array_rate succession_rate scrape late_clock \
		account_order lib_install numbers number_race \
		receivers streams_change streams_random differential status)
programs      = $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(1)))
ALL_BINS     := $(call programs,$(TESTS))
TEST_BINS    := $(filter $(ALL_BINS),$(LONGEST)) $(filter-out $(LONGEST),$(ALL_BINS))
# Found in their first comments: whether a program runs alone, and whether `make test` leaves it out.
saying        = $(call programs,$(shell grep -lE '$(1)' $(TESTS)))
ALONE         = $(call saying,Runs alone:)
QUICK_BINS    = $(if $(T),$(TEST_BINS),$(filter-out $(call saying,Not quick:),$(TEST_BINS)))
# The arguments of tests/run: the programs that run alone come last.
lanes         = $(filter-out $(ALONE),$(1)) -- $(filter $(ALONE),$(1))
TEST_LIBS     = -lcmocka $(LIBS) $(LIBMETRICS) $(if $(NATS),$(LIBPUBLISH))

# The objects that all test programs share.
SHARED = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(filter-out %_test.c %_main.c %/main.c, \
		$(call sources,tests/fixture/*/*.c tests/bench/*.c tests/bench/tool/*.c)) $(filter-out $(MAINS),$(USER)))

# All test programs are one program, linked once, which runs main() of the file by whose name it is
# called. Hard links have these names, as some of them start themselves: /proc/self/exe.
ALL_IN_ONE  = $(BUILD)/$(1)/tests/programs
own_main    = $(basename $(notdir $<))_main
MAIN_OF     = $(if $(filter %_test.c,$<),-D'main(...)=$(own_main)(__VA_ARGS__); int $(own_main)(__VA_ARGS__)')
TEST_MAINS := $(BUILD)/test_mains.h
.PHONY: always
$(TEST_MAINS): always
	$(Q)mkdir -p $(@D)
	$(Q)printf 'TEST(%s)\n' $(notdir $(TESTS:.c=)) > $@.tmp
	$(Q)if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
define all_in_one
$(BUILD)/$(1)/tests/fixture/base/programs_main.o: $(TEST_MAINS)
$(call ALL_IN_ONE,$(1)): $(BUILD)/$(1)/tests/fixture/base/programs_main.o $(TESTS:%.c=$(BUILD)/$(1)/%.o) $(call SHARED,$(1))
	$$(call link,$(if $(filter san,$(1)),$$(SAN_LINK)),$$(TEST_LIBS))
endef
$(eval $(call all_in_one,san))
$(eval $(call all_in_one,obj))

# In build/tests all have sanitizers, except those that make hundreds of millions of trials, or
# measure time. In build/plain none has: for `make test`, and for emulated machines, which are slow.
STRESS := $(call programs,$(filter tests/stress/%,$(TESTS)))
plain   = $(patsubst $(BUILD)/tests/%,$(BUILD)/plain/%,$(1))
$(filter-out $(STRESS),$(ALL_BINS)): $(call ALL_IN_ONE,san)
$(STRESS) $(call plain,$(ALL_BINS)): $(call ALL_IN_ONE,obj)
$(ALL_BINS) $(call plain,$(ALL_BINS)):
	$(Q)mkdir -p $(@D)
	$(Q)ln -f $< $@

-include $(shell [ ! -d $(BUILD) ] || find $(BUILD)/obj $(BUILD)/pic $(BUILD)/san $(BUILD)/fuzz $(BUILD)/musl/user -name '*.d' 2>/dev/null)

# Keeps objects that only test programs need.
.SECONDARY:

# A tool with the next format of pinned state (include/format.h), and a publisher with other ids.
NEXT_BIN := $(BUILD)/next/xdp-dedup
NEXT_PUBLISH := $(if $(PUBLISH),$(BUILD)/next/xdp-dedup-publish)
.PHONY: $(NEXT_BIN) $(NEXT_PUBLISH)
$(NEXT_PUBLISH): $(NEXT_BIN)
$(NEXT_BIN) $(NEXT_PUBLISH): | $(MADE)
	$(Q)$(MAKE) -s --no-print-directory BUILD=$(BUILD)/next CFLAGS='$(CFLAGS) -O0' CPPFLAGS='$(CPPFLAGS) -DDEDUP_NEXT_FORMAT' \
		BPF_CFLAGS='$(BPF_CFLAGS) -DDEDUP_NEXT_FORMAT' $@

# The last release's tool, from which filters are taken over; none in a clone without its commit.
RELEASE     := 970fb3f5ee5d41acacc251810590b5226bca7ab3
RELEASE_BIN := $(BUILD)/release/$(RELEASE)
$(RELEASE_BIN): | $(MADE)
	$(Q)rm -rf $(@D) && mkdir -p $@.tree && git archive $(RELEASE) | tar -x -C $@.tree
	$(Q)$(MAKE) -s --no-print-directory -C $@.tree build/xdp-dedup >$@.log
	$(Q)mv $@.tree/build/xdp-dedup $@ && rm -rf $@.tree && ln -sf $(RELEASE) $(@D)/xdp-dedup
has_release = $(shell git cat-file -e $(RELEASE) 2>/dev/null && echo yes)

.PHONY: test-programs
test-programs: $(SAN_BIN) $(SAN_METRICS) $(SAN_BENCH) $(SAN_PUBLISH) $(NEXT_BIN) $(NEXT_PUBLISH) $(TEST_BINS) $(if $(has_release),$(RELEASE_BIN)) ## build all test programs

.PHONY: test
test: all $(BENCH) $(NEXT_BIN) $(NEXT_PUBLISH) $(call plain,$(QUICK_BINS)) ## the quick tests, without sanitizers, T=NAME for one of all; tests of the kernel need root
	$(Q)CPU_SECONDS=2 T='$(T)' MAKE_PID=$$PPID tests/run $(call plain,$(call lanes,$(QUICK_BINS)))

.PHONY: test-all
test-all: test-programs ## all tests, each once, with sanitizers
	$(Q)T='$(T)' tests/run $(call lanes,$(TEST_BINS))

# Kills each kind of change at each of its system calls, or lets the call fail, and runs each other
# command after it. This takes hours. The tool has no sanitizers: they would take most of the time.
.PHONY: test-every-call
test-every-call: $(BIN) $(NEXT_BIN) $(BUILD)/tests/every_call_test ## as root: all of every_call_test; or CASES=distinct or lasting, POINTS=N SEED=N, CASE=PATTERN
	$(Q)cases='$(or $(CASES),$(if $(CASE)$(POINTS),,all))'; PROCESSES="$$(nproc)" XDP_DEDUP='$(BIN)' CMOCKA_MESSAGE_OUTPUT=TAP \
		env $${cases:+CASES="$$cases"} $(BUILD)/tests/every_call_test

# Fuzzes each reader of input by libFuzzer: tests/fuzz/fuzz_NAME.c, with the inputs of
# tests/fuzz/corpus/NAME. clang builds the sources that they need again.
FUZZ_SECONDS ?= 30
FUZZ_NAMES   := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_FLAGS   := -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_SOURCES := user/lib/datagram.c $(wildcard user/fips/fips*.c user/spec/*.c user/layout/*.c \
		user/publish/publish_answer.c user/publish/subject.c user/service/config_file.c user/base/socket_address.c $(wildcard user/scrapes/*.c) user/base/runtime_file.c \
		$(addprefix user/replay/,blocks.c capture.c ifaces.c link.c) \
		user/cli/options.c $(addprefix user/control/,wish.c wish_streams.c) $(addprefix user/base/,args.c config_lines.c config_values.c diag.c lines.c text.c units.c) \
		$(addprefix user/filter/,snapshot.c pins.c identity.c open.c stream_ids.c totals.c) user/host/dirs.c)

$(BUILD)/fuzz/%.o: %.c Makefile | $(MADE)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -std=gnu11 $(C_WARN) $(call CPPFLAGS_OF,tests/) $(PKG_CFLAGS) $(CPPFLAGS) $(FUZZ_FLAGS) \
		-fsanitize=fuzzer-no-link -MD -MP -c $< -o $@
$(BUILD)/fuzz/tool.a: $(patsubst %.c,$(BUILD)/fuzz/%.o,$(FUZZ_SOURCES))
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/tests/fuzz/fuzz_%.o $(BUILD)/fuzz/tool.a
	$(call say,LINK,$@)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer $(LDFLAGS) $^ $(LIBS) -o $@

.PHONY: fuzz-programs
fuzz-programs: $(addprefix $(BUILD)/fuzz/fuzz_,$(FUZZ_NAMES)) ## build the programs of `make fuzz`

.PHONY: fuzz $(addprefix fuzz-,$(FUZZ_NAMES))
fuzz: $(addprefix fuzz-,$(FUZZ_NAMES)) ## fuzz the readers of input, FUZZ_SECONDS=30 each; fuzz-NAME for one
$(addprefix fuzz-,$(FUZZ_NAMES)): fuzz-%: $(BUILD)/fuzz/fuzz_%
	$(Q)tests/fuzz/run $< tests/fuzz/corpus/$* $(FUZZ_SECONDS)

VM_SERIES := 6.1 6.12

# Runs tests of the kernel on Debian's kernels, in emulated machines, also in a dispatcher. They are
# there for what kernels do, not for memory errors: without sanitizers they take two thirds.
.PHONY: vm-programs
vm-programs: $(BIN) $(BENCH) $(NEXT_BIN) ## build what `make test-vm` runs
	$(Q)$(MAKE) --no-print-directory $(addprefix $(BUILD)/plain/,$(shell FULL=$(FULL) tests/run-vm --programs))

.PHONY: test-vm
test-vm: vm-programs ## on Linux 6.1, 6.12 and the newest, in qemu; FULL=1: all tests on the first two
	$(Q)scripts/deps vm
	$(Q)tests/run-vm $(VM_SERIES) newest-amd64

# Tests of drivers: on emulated NICs and Debian's kernels, or on two real NICs. Emulation is slow:
# neither the tool nor the tests have sanitizers.
DRIVER_KINDS  ?= virtio virtio-tap-4 virtio-fixed virtio-tap-4-zc igb vmxnet3 e1000e virtio+igb vmxnet3+e1000e
DRIVER_SERIES ?= 6.1-amd64 6.12-amd64 newest-amd64
DRIVER_TESTS  := $(BIN) $(BUILD)/plain/drivers_test $(BUILD)/plain/drivers_xsk_test $(BUILD)/plain/recover_test

.PHONY: test-drivers
test-drivers: $(DRIVER_TESTS) ## as root: filters on emulated NICs; or on two that are connected, IFACE=eth1,eth2; DRIVER_KINDS= DRIVER_SERIES=
	$(Q)$(if $(IFACE),,scripts/deps vm)
	$(Q)T='$(T)' IFACE='$(IFACE)' tests/run-drivers \
		$(if $(IFACE),,$(foreach s,$(DRIVER_SERIES),$(foreach k,$(DRIVER_KINDS),$k:$s)))

.PHONY: test-drivers-fast
test-drivers-fast: $(DRIVER_TESTS) ## as root: a few tests of drivers: virtio and igb, newest kernel
	$(Q)scripts/deps vm
	$(Q)T='$(or $(T),@(facts|plain|down-up|mtu-raised|vlan-filtered|change-load|change-set|xsk-*copy|what_was_lost*))' WAYS=link \
		tests/run-drivers virtio:newest-amd64 igb:newest-amd64

.PHONY: lint
lint: $(MADE) $(TEST_SKELS) $(TEST_MAINS) compile_commands.json ## clang-format, clang-tidy, cppcheck, shellcheck
	$(Q)scripts/deps lint
	$(call say,LINT,clang-format)
	$(Q)clang-format --dry-run -Werror $(SOURCES)
	$(call say,LINT,clang-tidy)
	$(Q)printf '%s\n' $(USER) $(TEST_SOURCES) | xargs -P "$$(nproc)" -n 8 clang-tidy --quiet -p . 2>/dev/null
	$(call say,LINT,cppcheck)
	$(Q)cppcheck --quiet -j "$$(nproc)" --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingIncludeSystem --suppress=internalAstError -Iinclude \
		$(addprefix -I,$(wildcard user/* tests/fixture/*/) tests/bench tests/bench/tool) \
		'-DLIBBPF_OPTS(type,name,...)=struct type name' \
		'-DDECLARE_LIBXDP_OPTS(type,name,...)=struct type name' \
		$(USER) $(TEST_SOURCES)
	$(call say,LINT,shellcheck)
	$(Q)shellcheck -x $(filter-out %.py,$(wildcard scripts/*)) tests/run tests/run-vm tests/run-drivers tests/package tests/fuzz/run \
		tests/system/run tests/system/inside tests/container/run tests/container/inside tests/build .ci/run $(wildcard debian/*.p*st debian/*.p*rm)

SOURCES := $(wildcard bpf/*.[ch] include/*.h user/*/*.[ch] user/program/*/*.h tests/*/*.[ch] tests/*/*/*.[ch])

.PHONY: format
format: ## clang-format, in place
	$(Q)clang-format -i $(SOURCES)

# One entry for each file; the BPF program has other flags. A directory changes with a new file.
entry = { "directory": "$(CURDIR)", "file": "$(1)", "command": "$(2) -c $(1)" }
compile_commands.json: Makefile $(sort $(dir $(USER) $(TEST_SOURCES)))
	$(file > $@,[)
	$(foreach f,$(USER) $(TEST_SOURCES),$(file >> $@,$(call entry,$(f),$(CC) $(call CPPFLAGS_OF,$(f)) $(ALL_CFLAGS)),))
	$(file >> $@,$(call entry,bpf/xdp_dedup.bpf.c,$(CLANG) $(BPF_FLAGS))])
	@:

# Files to install, as FROM=TO.
INSTALLED = $(BIN)=$(BINDIR)/xdp-dedup $(METRICS)=$(LIBEXECDIR)/xdp-dedup-metrics $(if $(PUBLISH),$(INSTALLED_PUBLISH)) \
	$(foreach f,alerts.yml dashboard.json daemonset.yaml xdp-dedup.container,user/service/$(f)=$(DATADIR)/$(f)) \
	$(foreach f,$(wildcard user/api/*.h),$(f)=$(INCLUDEDIR)/$(notdir $(f))) \
	$(foreach f,$(LIB_FILES),$(f)=$(LIBDIR)/$(notdir $(f))) $(BUILD)/xdp-dedup.pc=$(PKGCONFIGDIR)/xdp-dedup.pc \
	$(foreach f,$(INSTALLED_PAGES),$(f)=$(call page,$(f))) \
	$(BUILD)/completion/xdp-dedup.bash=$(BASHDIR)/xdp-dedup $(BUILD)/completion/xdp-dedup.zsh=$(ZSHDIR)/_xdp-dedup \
	$(UNIT)=$(UNITDIR)/xdp-dedup.service $(METRICS_UNIT)=$(UNITDIR)/xdp-dedup-metrics.service \
	user/metrics/xdp-dedup-metrics.socket=$(UNITDIR)/xdp-dedup-metrics.socket
INSTALLED_PUBLISH = $(PUBLISH_INSTALLED)=$(BINDIR)/xdp-dedup-publish $(PUBLISH_UNIT)=$(UNITDIR)/xdp-dedup-publish@.service \
	$(BUILD)/completion/xdp-dedup-publish.bash=$(BASHDIR)/xdp-dedup-publish \
	$(BUILD)/completion/xdp-dedup-publish.zsh=$(ZSHDIR)/_xdp-dedup-publish \
	user/publish/publish.conf=$(DATADIR)/publish.conf user/publish/alerts.yml=$(DATADIR)/publish-alerts.yml
UNIT = $(BUILD)/xdp-dedup.service
METRICS_UNIT = $(BUILD)/xdp-dedup-metrics.service
PUBLISH_UNIT = $(BUILD)/xdp-dedup-publish@.service
CONF = $(SYSCONFDIR)/xdp-dedup/xdp-dedup.conf
page = $(MANDIR)/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
INSTALLED_LINK = $(LIBDIR)/libxdp-dedup.so

# In a pkg-config file, directories are relative to the prefix where possible: so it can be moved.
by_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))

# These have directories in them, which each call may give anew.
$(BUILD)/xdp-dedup.pc $(UNIT) $(METRICS_UNIT) $(PUBLISH_UNIT): always
	$(Q)mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@BINDIR@|$(BINDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' \
		-e 's|@LIBDIR@|$(call by_prefix,$(LIBDIR))|; s|@INCLUDEDIR@|$(call by_prefix,$(INCLUDEDIR))|' \
		-e 's|@LIBEXECDIR@|$(LIBEXECDIR)|' user/*/$(@F).in > $@

# What root installs is built by the owner of build/, so that nothing in it becomes root's.
INSTALLABLE = $(if $(filter install,$(MAKECMDGOALS)),all $(filter $(BUILD)/%,$(foreach i,$(INSTALLED),$(firstword $(subst =, ,$(i)))))) \
	$(if $(filter install-bench,$(MAKECMDGOALS)),$(BENCH) $(BENCH_PAGE))
BY_OWNER := $(if $(filter install%,$(MAKECMDGOALS)),$(shell [ "$$(id -u)" -ne 0 ] || find $(firstword $(wildcard $(BUILD)) .) \
	-maxdepth 0 ! -uid 0 -printf 'setpriv --reuid=%U --regid=%G --clear-groups'))
.PHONY: installable
installable: $(if $(BY_OWNER),,$(INSTALLABLE))
	$(if $(BY_OWNER),$(Q)MAKEFLAGS='$(filter-out -j% --jobserver%,$(MAKEFLAGS))' $(BY_OWNER) \
		$(MAKE) $(if $(V),,-s) --no-print-directory -j$(shell nproc) $(INSTALLABLE))

# An existing configuration of the service is not overwritten.
.PHONY: install
install: installable ## PREFIX=/usr/local LIBDIR BINDIR LIBEXECDIR INCLUDEDIR MANDIR DESTDIR
	$(Q)[ -e $(DESTDIR)$(CONF) ] || install -D -m 644 user/service/xdp-dedup.conf $(DESTDIR)$(CONF)
	$(Q)$(foreach i,$(INSTALLED),install -D -m $(if $(filter $(BIN)=% $(METRICS)=% $(BUILD)/installed/%,$(i)),755,644) \
		$(subst =, $(DESTDIR),$(i)) &&) ln -sf libxdp-dedup.so.$(LIB_MAJOR) $(DESTDIR)$(INSTALLED_LINK)
	$(call ldconfig)

.PHONY: uninstall
uninstall: ## remove the files of install and install-bench; takes their variables
	$(Q)rm -f $(foreach i,$(INSTALLED),$(DESTDIR)$(lastword $(subst =, ,$(i)))) $(DESTDIR)$(INSTALLED_LINK) \
		$(DESTDIR)$(BINDIR)/xdp-dedup-bench $(DESTDIR)$(call page,$(BENCH_PAGE))
	$(Q)if cmp -s user/service/xdp-dedup.conf $(DESTDIR)$(CONF); then rm $(DESTDIR)$(CONF); \
		elif [ -e $(DESTDIR)$(CONF) ]; then echo "$(DESTDIR)$(CONF) was changed, and stays" >&2; fi
	$(Q)find $(addprefix $(DESTDIR),$(LIBEXECDIR) $(DATADIR) $(dir $(CONF))) -maxdepth 0 -empty -delete 2>/dev/null || :
	$(call ldconfig)

# Lets programs find the library at once.
define ldconfig
	$(Q)$(if $(DESTDIR),:,[ "$$(id -u)" -ne 0 ] || PATH=$$PATH:/usr/sbin:/sbin ldconfig)
endef

.PHONY: install-bench
install-bench: installable ## install xdp-dedup-bench; takes the variables of install
	$(Q)install -D -m 755 $(BENCH) $(DESTDIR)$(BINDIR)/xdp-dedup-bench
	$(Q)install -D -m 644 $(BENCH_PAGE) $(DESTDIR)$(call page,$(BENCH_PAGE))

# Without sanitizers, because the demo and the benches measure time.
$(BUILD)/tests/gossip: $(patsubst %,$(BUILD)/obj/tests/fixture/packets/%.o,gossip_main gossip udp)
	$(call link)
$(BUILD)/tests/bench: $(BUILD)/obj/tests/bench/bench_main.o $(call SHARED,obj)
	$(call link,,$(TEST_LIBS))
$(BUILD)/tests/e2e_bench: $(BUILD)/obj/tests/bench/e2e_bench_main.o $(call SHARED,obj)
	$(call link,,$(TEST_LIBS))
$(BUILD)/tests/publish_bench: $(BUILD)/obj/tests/bench/publish_bench_main.o $(call SHARED,obj)
	$(call link,,$(TEST_LIBS))
$(BUILD)/tests/plain_publisher: $(BUILD)/obj/tests/bench/plain_publisher_main.o $(BUILD)/obj/tests/fixture/packets/udp.o
	$(call link,,$(LIBPUBLISH))

.PHONY: demo
demo: $(BIN) $(BUILD)/tests/gossip ## as root: gossip with the filter and without; A and B feeds
	$(Q)BUILD='$(BUILD)' scripts/demo

.PHONY: demo-publish
demo-publish: $(BIN) $(PUBLISH) ## as root: two machines publish into one stream, user/publish/TUTORIAL.md
	$(Q)BUILD='$(BUILD)' scripts/demo-publish

.PHONY: pictures
pictures: $(BIN) ## as root: pictures of the documents: watch on a real feed, a page of replay, the bench's drawings
	$(Q)scripts/deps bench browser
	$(Q)BUILD='$(BUILD)' scripts/watch-picture user/cli/watch.svg
	$(Q)BUILD='$(BUILD)' scripts/report-picture.py user/cli/report.png
	$(Q)scripts/growth-drawings tests/bench

.PHONY: bench
bench: $(BENCH) $(BUILD)/tests/bench ## as root: what a packet costs, also in the other layouts
	$(Q)$(BENCH) --ids 10k,1M,10M,100M --rounds 11 --copies 1M
	$(Q)CMOCKA_MESSAGE_OUTPUT=TAP $(BUILD)/tests/bench | grep '^ '

.PHONY: bench-growth
bench-growth: $(BIN) $(BENCH) ## as root: what a packet costs by ids, by fill and by p; tables and drawings; ROUNDS=N IDS=1k,1M
	$(Q)scripts/deps bench
	$(Q)scripts/bench-growth $(BIN) $(BENCH) $(BUILD)

.PHONY: bench-replay
bench-replay: $(BIN) ## the rate of `replay`, in packets a second; ROUNDS=N
	$(Q)scripts/deps bench
	$(Q)scripts/bench-replay.py $(BIN)

.PHONY: bench-interfaces
bench-interfaces: $(BIN) ## as root: what many interfaces and filters cost the service, and status; CASES="1000:60 ..." MODE=skb
	$(Q)scripts/deps bench
	$(Q)$(if $(CASES),CASES='$(CASES)') scripts/bench-interfaces.py $(BIN)

.PHONY: bench-path
bench-path: $(BIN) ## as root: the instructions that a packet takes; LIST=1 lists a duplicate's
	$(Q)scripts/deps bench
	$(Q)scripts/path.py $(BIN) $(if $(LIST),--list)

.PHONY: bench-e2e
bench-e2e: $(BIN) $(BUILD)/tests/e2e_bench ## as root: floods, filtered in XDP and behind a socket; DUPLICATES=N BURST=N FAIR=1 TIMES=1 JSON=1
	$(Q)XDP_DEDUP=$(BIN) $(BUILD)/tests/e2e_bench $(if $(BURST),--burst $(BURST)) \
		$(if $(DUPLICATES),--duplicates $(DUPLICATES)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(JSON),--json)

.PHONY: bench-tables
bench-tables: $(BIN) $(BENCH) $(BUILD)/tests/e2e_bench ## as root: the tables of README.md and tests/bench/README.md; ROUNDS=N IDS=1k,1M BURST=N FAIR=1
	$(Q)XDP_DEDUP=$(BIN) scripts/bench-tables.py $(BENCH) $(BUILD)/tests/e2e_bench

.PHONY: bench-publish
bench-publish: $(BIN) $(METRICS) $(PUBLISH) $(BUILD)/tests/plain_publisher $(BUILD)/tests/publish_bench ## as root: what publishing into JetStream costs, with filters and without; ROUNDS=N
	$(Q)XDP_DEDUP=$(BIN) XDP_DEDUP_PUBLISH=$(PUBLISH) $(if $(ROUNDS),ROUNDS=$(ROUNDS)) \
		CMOCKA_MESSAGE_OUTPUT=TAP $(BUILD)/tests/publish_bench | grep '^ \|^$$\|not ok'

# Builds packages from a copy of the source, as Debian does.
.PHONY: deb
deb: ## Debian packages, into build/deb
	$(Q)scripts/deps build deb
	$(Q)scripts/deb $(BUILD)/deb

.PHONY: rpm
rpm: ## RPM packages, into build/rpm
	$(Q)scripts/deps build rpm
	$(Q)scripts/rpm $(BUILD)/rpm

.PHONY: image
image: deb ## a container image of the service, build/xdp-dedup.oci.tar
	$(Q)scripts/deps image
	$(Q)scripts/oci $(BUILD)/deb $(BUILD)/xdp-dedup.oci.tar

.PHONY: test-container
test-container: image $(BUILD)/tests/gossip ## as root: the image under podman, by the files that users copy; SERIES=6.12 in qemu
	$(Q)scripts/deps package $(if $(SERIES),vm)
	$(Q)BUILD='$(BUILD)' tests/container/run $(SERIES)

.PHONY: test-build
test-build: ## as root: build on a clean Debian 13, and run the quick tests there; T=NAME for one of all
	$(Q)scripts/deps package
	$(Q)BUILD='$(BUILD)' T='$(T)' tests/build

.PHONY: test-package
test-package: deb $(BUILD)/tests/gossip ## as root: test the packages on a clean Debian 12, and on whole machines
	$(Q)scripts/deps package vm
	$(Q)BUILD='$(BUILD)' tests/package
	$(Q)BUILD='$(BUILD)' tests/system/run $(VM_SERIES)

# Builds the tool and the library for arm64, with Debian's cross compiler and libraries. CI does so.
.PHONY: arm64
arm64: ## as root: build for arm64, into build/arm64
	$(Q)scripts/deps build arm64
	$(Q)$(MAKE) BUILD='$(BUILD)/arm64' CC=aarch64-linux-gnu-gcc all

# Races, and the packet program, on an emulated machine.
ARM64_TESTS := race number_race parse array_prog
.PHONY: test-arm64
test-arm64: arm64 ## as root: races, and the packet program, on Linux 6.1 for arm64, in qemu
	$(Q)scripts/deps test-arm64
	$(Q)$(MAKE) BUILD='$(BUILD)/arm64' CC=aarch64-linux-gnu-gcc $(ARM64_TESTS:%=$(BUILD)/arm64/plain/%_test)
	$(Q)scripts/vm-arm64 tests/run $(ARM64_TESTS:%=$(BUILD)/arm64/plain/%_test) -- \
		"JOBS=1 CPU_SECONDS=20 T='$(T)' sh tests/run $(ARM64_TESTS:%=$(BUILD)/arm64/plain/%_test)"

# Compiles for musl, so without calls that only glibc has. musl-gcc does not look into /usr/include:
# here are the headers of the kernel and of libraries. The libraries themselves are for glibc.
MUSL_HEADERS := linux asm asm-generic bpf xdp libmnl json-c pcap openssl nats systemd \
	curses.h ncurses_dll.h unctrl.h ini.h microhttpd.h
$(BUILD)/musl/include:
	$(Q)mkdir -p $@
	$(Q)cd $(BUILD)/musl/include && for h in $(MUSL_HEADERS); do for dir in /usr/include /usr/include/$$(gcc -print-multiarch); do \
		[ ! -e "$$dir/$$h" ] || cp -rs "$$dir/$$h" . || exit 1; done; done
$(BUILD)/musl/user/%.o: private COMPILER = musl-gcc
$(BUILD)/musl/user/%.o: user/%.c Makefile | $(MADE) $(BUILD)/musl/include
	$(call compile,-idirafter $(BUILD)/musl/include)
.PHONY: musl-objects
musl-objects: $(call objects,musl,user/*/*.c)

.PHONY: musl
musl: ## as root: compile the sources of user/ with musl's headers, which lack glibc's own calls
	$(Q)scripts/deps build musl
	$(Q)$(MAKE) musl-objects

.PHONY: clean
clean: ## remove what was built
	$(Q)rm -rf $(BUILD) compile_commands.json

.PHONY: help
help: ## this text
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
