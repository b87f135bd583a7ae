# Variables from the command line and from the environment. Each command of a kind has all of these
# words, and there are some.
kind() { grep -e "$2" $D/commands >$D/kind; [ $(wc -l <$D/kind) -ge $1 ]; shift 2
	for i; do not grep -v -e "$i" $D/kind; done; }
flagged() { sed -i -e ':a' -e '/\\$/N; s/\\\n//; ta' $D/commands
	kind 40 '-MD -MP' -DIN_CPPFLAGS -DIN_CFLAGS -std=gnu11 -Wall -fstack-protector-strong
	kind 2 '-target bpf' -DIN_BPF_CFLAGS -O2 -mcpu=v3
	kind 2 '-Wl,-z,now' -DIN_CFLAGS ' -Wl,--in-ldflags .* -lm -lin-ldlibs'; }
set -- CPPFLAGS=-DIN_CPPFLAGS CFLAGS=-DIN_CFLAGS LDFLAGS=-Wl,--in-ldflags LDLIBS=-lin-ldlibs \
	BPF_CFLAGS=-DIN_BPF_CFLAGS
all_commands "$@"; flagged
export "$@"; all_commands; flagged
