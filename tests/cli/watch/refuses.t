$LOAD; fails 'not permitted: watch needs CAP_BPF' $NOBODY watch v0
fails 'there is no filter nope' $XD watch nope
exits 2 $XD watch v0 --every 99ms; has '--every 99ms: give a time from 100ms to 1d'
exits 2 $XD watch v0 --every 5; has '--every 5: give'
exits 2 $XD watch v0 --count 0; has '--count 0: give a number of readings'
exits 2 $XD watch v0 p0; has 'usage: xdp-dedup watch [NAME]'
