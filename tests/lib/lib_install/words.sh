# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# $R has what was installed, $D is an empty directory.
# makes ARGS...              `make` as a user runs it
# built EXAMPLE OPTION...    the program $R/EXAMPLE, by the installed library
# undone VARIABLE=VALUE...   what is installed with these $variables is where the others say, and
#                            `uninstall` takes away that and nothing else
[ "$R" ] || exit 77
D=$R/d; rm -rf $D; mkdir $D; top=$PWD
makes() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C $top "$@"; }
built() { cc -Wall -Wextra -Werror tests/lib/$1_main.c $(eval $PC --cflags --libs xdp-dedup) -o $R/$1; }
files() { find . ! -type d | sort; }
undone() { local "$@"; cd $D; man=$share/man bash=$share/bash-completion/completions
	mkdir -p $tool $header $library/pkgconfig
	touch $tool/tool $header/xdp.h $library/libxdp.so $library/pkgconfig/libxdp.pc
	files >../before; makes install install-bench DESTDIR=$D $variables
	for i in xdp-dedup xdp-dedup-bench; do [ -x $tool/$i ]; done
	for i in $header/xdp-dedup.h $header/xdp-dedup-fips.h $header/xdp-dedup-receive.h \
		$header/xdp-dedup-streams.h $library/libxdp-dedup.a \
		$share/xdp-dedup/alerts.yml $share/xdp-dedup/dashboard.json \
		$share/xdp-dedup/daemonset.yaml $share/xdp-dedup/xdp-dedup.container \
		$man/man8/xdp-dedup.8 $man/man8/xdp-dedup-bench.8 $man/man3/libxdp-dedup.3 \
		$man/man5/xdp-dedup-profiles.5 $man/man5/xdp-dedup.conf.5 \
		$bash/xdp-dedup $share/$zsh/_xdp-dedup $units/xdp-dedup-metrics.socket; do [ -f $i ]; done
	[ "$(readlink $library/libxdp-dedup.so)" = libxdp-dedup.so.0 ]
	[ "$(sed -n 's/^\(include\|lib\)dir=//p' $library/pkgconfig/xdp-dedup.pc | xargs)" = "$pc" ]
	grep -x "ExecStart=/$tool/xdp-dedup run --config /$etc/xdp-dedup/xdp-dedup.conf" \
		$units/xdp-dedup.service
	[ -x .$(sed -n 's/^ExecStart=//p' $units/xdp-dedup-metrics.service) ]
	not grep '@[A-Z]*@' $units/*
	publisher=0; [ ! -e $tool/xdp-dedup-publish ] || publisher_is_there
	[ $(files | wc -l) = $(($(wc -l <../before) + 26 + publisher)) ]
	makes uninstall DESTDIR=$D $variables; files | diff ../before -
	find . -name '*xdp-dedup*' | diff /dev/null -; }
publisher_is_there() { publisher=7
	grep -x "ExecStart=/$tool/xdp-dedup-publish --config /$etc/xdp-dedup/publish-%i.conf" \
		$units/xdp-dedup-publish@.service
	for i in $share/xdp-dedup/publish.conf $share/xdp-dedup/publish-alerts.yml \
		$man/man8/xdp-dedup-publish.8 $bash/xdp-dedup-publish \
		$share/$zsh/_xdp-dedup-publish; do [ -f $i ]; done
	# Where ld.so does not look, the program says where the library is.
	[ "$(readelf -d $tool/xdp-dedup-publish | sed -n 's/.*runpath: \[\(.*\)\].*/\1/p')" = "$runpath" ]; }
