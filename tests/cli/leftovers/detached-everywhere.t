# By name, as no interface finds it. Its ids are known then.
$LOAD; $XD add v0 $ID_A; bpftool link detach pinned $PINS/v0/link-v0; idle v0
got $XD status; has 'nothing is filtered on v0'; has 'xdp-dedup set v0 --add v0 attaches it anew'
fails 'v0 runs on no interface: xdp-dedup set v0 --add IFNAME' $XD set v0 --ihave pass
$XD set v0 --add v0; runs v0; got $XD test v0 $ID_A; is "$ID_A known"
bpftool link detach pinned $PINS/v0/link-v0; $XD set v0 --add p0; runs p0; idle v0
$XD unload --name v0; clean
# Its interface was made anew.
$LOAD; ip link del v0; ip link add v0 group 7 type veth peer name p0 group 7
$XD set v0 --add v0; runs v0; $XD unload v0; clean
