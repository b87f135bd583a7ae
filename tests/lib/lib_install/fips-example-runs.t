# A FIPS node by the installed header: the end of a row hears of the other end, in time.
built example_fips; got env LD_LIBRARY_PATH=$R/usr/local/lib $R/example_fips; is '1 s: a tells b
1 s: b tells a
1 s: b tells c
1 s: c tells b
1.5 s: b tells a
a by b: no
b by b: maybe
c by b: maybe
d by b: no'
