# No sandbox has the drop monitor.
$LOAD; fails 'there is no drop monitor here: the kernel lacks it' $XD lost v0; runs v0
exits 2 $XD lost v0 --json --write /mnt/lost; has 'not both'; [ ! -e /mnt/lost ]
