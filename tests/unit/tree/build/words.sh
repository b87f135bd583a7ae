# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# A machine where everybody is root and nothing is installed: $D/bin is /usr/bin, but without clang,
# which is in $D/clang as clang-17; apt-get and its like write into $D/asked what is asked of them.
# Other directories are what is amiss elsewhere. $ALL has clang, too.
# lacks_it WORDS PATH ARGS...  make says in one line that this is missing, and asks for nothing;
#                              WORDS is a pattern
# asks HAS LACKS PATH ARGS...  make asks for packages, with the first words and without the second
# all_commands ARGS...         what `make all` would run, in $D/commands
# hardened HAS LACKS ARGS...   some of them that compile have the first words, none the second
command -v make >/dev/null && clang=$(CC=cc CLANG= scripts/tools clang) || exit 77
clang=$(command -v $clang)
fake() { printf '#!/bin/sh\n%s\n' "$2" >$D/$1; chmod +x $D/$1; }
header() { mkdir -p $D/$1/${2%/*}; echo "${3-#error none}" >$D/$1/$2; }
machine() { mkdir $D/bin $D/clang $D/old-clang $D/refused-clang $D/no-bpftool
	ln -s /usr/bin/* $D/bin; (cd $D/bin; rm -f clang* bpftool apt* dpkg* sudo id)
	for i in apt-get dpkg sudo; do fake bin/$i "echo $i \$* >>$D/asked"; done
	fake bin/dpkg-query 'exit 1'; fake bin/id 'echo 0'; fake bin/apt-cache 'echo bpftool'
	fake bin/bpftool ''; fake no-bpftool/bpftool 'exit 1'
	fake clang/clang-17 "exec $clang \"\$@\""
	fake old-clang/clang 'echo 13.0.1'; fake refused-clang/clang 'echo 16.0.6'
	for i in libmnl/libmnl json-c/json ./ini pcap/sll ./curses systemd/sd-event ./microhttpd; do
		header none $i.h; done
	header no-libbpf bpf/libbpf.h; header no-libxdp xdp/libxdp.h
	header old xdp/libxdp.h ''; header old pcap/sll.h ''
	header old-libbpf bpf/libbpf.h '#define LIBBPF_MAJOR_VERSION 0'; }
[ -e $D/bin ] || machine
rm -rf $D/build $D/asked
ALL=$D/clang:$D/bin NO_CLANG='clang from 14 on, but 16 and 17, which Linux 6.1 refuses'
MAKE="make -s BUILD=$D/build" # with a PATH, and nothing else in its environment
lacks_it() { pattern=$1 path=$2; shift 2; exits 2 env -i PATH=$path $MAKE "$@"; [ ! -e $D/asked ]
	case $output in "missing: "$pattern"; \`make deps\` installs packages as root, README.md says which
make: *** "*) ;; *) echo "$output"; return 1; esac
	[ $(echo "$output" | grep -c ^m) = 2 ]; }
asks() { has=$1 lacks=$2 path=$3; shift 3; env -i PATH=$path $MAKE "$@" || :
	grep '^apt-get -qq install ' $D/asked | grep -e "$has" | grep -v -e "$lacks"; }
all_commands() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n BUILD=$D/none all "$@" >$D/commands; }
hardened() { has=$1 lacks=$2; shift 2; unset CFLAGS CPPFLAGS HARDEN; all_commands "$@"
	grep -e ' -MD ' -e '^cc' $D/commands >$D/compiles; grep -q -e "$has" $D/compiles
	not grep -e "$lacks" $D/compiles; }
