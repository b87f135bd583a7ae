ip link add v1 group 7 type veth peer name p1 group 7
$LOAD v1
$XD add v0 $ID_A
bpftool link detach pinned $PINS/v0/link-v0
idle v0; runs v1
got $XD status v0; has 'v0 (detached)'; has 'xdp-dedup set v0 --add v0 attaches it anew'
$XD status v0 --json | jq -e '.advice[] | select(.key == "detached")'
got $XD watch v0 --json --count 1; has '"key":"detached"'
$XD set v0 --ihave pass; idle v0; runs v1; $XD set v0 --add v0; runs v0
got $XD status v0; lacks detached; lacks advice; $XD test v0 $ID_A; $XD unload --name v0; clean
