$LOAD --capacity 10k --action count --to 192.0.2.0/24 --vlan 7,none
$XD add v0 $ID_A
was=$(bpftool prog show pinned $PINS/v0/prog | head -n 1)
got $XD load v0 --replace
is 'v0: replaced; what it remembers is kept'
[ "$was" != "$(bpftool prog show pinned $PINS/v0/prog | head -n 1)" ]
got $XD test v0 $ID_A
got $XD status v0
has 'are counted and passed'
has '192.0.2.0/24'
has 'only VLANs  none,7'
has 'at 10000 ids a window of 10m'
[ "$(ls $PINS)" = v0 ]
