$LOAD; fails 'not permitted: sample needs CAP_BPF' $NOBODY sample v0
fails 'there is no filter nope' $XD sample nope
exits 2 $XD sample v0 --json --write /mnt/x; has '--json or --write, not both'
exits 2 $XD sample; has 'usage: xdp-dedup sample NAME[/STREAM]'
exits 2 $XD sample v0 --rate 0; has '--rate 0: give a number from 1 to 1000000'
exits 2 $XD sample v0 --rate 5/m; has '--rate 5/m: give'
exits 2 $XD sample v0 --rate /s; has '--rate /s: give'
exits 2 $XD sample v0 --snap 9217; has '--snap 9217: give a number from 1 to 9216'
exits 2 $XD sample v0 --count 0; has '--count 0: give a number of packets'
exits 2 $XD sample v0 --for 5; has '--for 5: give a time with its unit'
exits 2 $XD sample v0 --for 0; has '--for 0: give a time'
exits 2 $XD sample v0 --write ''; has '--write: give a file'
rm $PINS/v0/samples; fails 'the pins of v0 are incomplete or of another version' $XD sample v0
