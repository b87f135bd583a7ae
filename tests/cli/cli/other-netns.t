# from anywhere
elsewhere="unshare --net $XD"; for v in '--name v0' --all; do $LOAD
$elsewhere set v0 --ihave pass; $elsewhere resize v0 --capacity 20k; runs v0
got $elsewhere status; has 'v0 (other netns)'; $elsewhere unload $v; idle v0; clean; done
