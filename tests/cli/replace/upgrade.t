$LOAD p0 --capacity 10k --action count
$XD add v0 $ID_A
# The new version can read it,
got $NEXT status v0
has 'of an older xdp-dedup: load --replace --name v0'
has 'at 10000 ids'
got $NEXT status v0 --json
has "\"format\": $FORMAT,"
got $NEXT test v0 $ID_A
$NEXT add v0 $ID_B
$NEXT save v0 /mnt/snapshot
$NEXT rotate v0; $NEXT refresh v0
# change it only as a whole,
fails 'load --replace --name v0' $NEXT set v0 --action drop
got $XD status v0
[ "$(ls $PINS)" = v0 ]
# and take it over.
got $NEXT load --replace --name v0
has 'v0: replaced; what it remembers is kept'
got $NEXT test v0 $ID_A $ID_B
got $NEXT status v0
has 'predecessor 81.2 kB'
has 'are counted and passed'
lacks 'of an older'
runs v0; runs p0
$NEXT set v0 --action drop
got $NEXT test v0 $ID_A
fails "newer xdp-dedup (format $NEXT_FORMAT;" $XD status v0
fails "newer xdp-dedup (format $NEXT_FORMAT;" $XD load --replace --name v0
fails "newer xdp-dedup (format $NEXT_FORMAT;" $XD set v0 --action drop
got $NEXT test v0 $ID_A
fails 'remove it by xdp-dedup unload --name v0' $XD unload p0
$XD unload --name v0
clean
