# Its headers' functions and nothing else, from both forms of the library.
cd $R/usr/local; sed 's,/\*.*,,' include/xdp-dedup*.h |
	grep -o '\bxdp_dedup_[a-z_]*(' | tr -d '(' | sort -u >$D/header
[ $(wc -l <$D/header) = 36 ]
nm -D --defined-only lib/libxdp-dedup.so.0 | awk '$2 != "A" { print $3 }' | sed 's/@.*//' |
	sort -u | diff $D/header -
nm -g --defined-only lib/libxdp-dedup.a | awk 'NF == 3 { print $3 }' | sort -u | diff $D/header -
