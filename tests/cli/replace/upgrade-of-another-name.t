$LOAD --name x --capacity 10k
$NEXT load --replace --name x
for verb in 'status v0' 'set v0 --action count' 'load --replace v0' 'test v0 00000000000000000000000000000000000000000000000000000000000000aB'; do
	fails "x was loaded by a newer xdp-dedup (format $NEXT_FORMAT;" $XD $verb
done
runs v0; got $NEXT status v0; lacks 'of an older'
$XD unload --name x; clean
