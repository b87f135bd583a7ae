# A link follows its interface.
far; $LOAD; ip link set v0 netns $far
ip link add v0 group 7 type veth peer name q0 group 7
got $XD status v0; has 'v0 (other netns)'; got there $XD status v0
has 'interfaces  v0 (native)
'; fails 'v0 is loaded already' $LOAD
$XD set v0 --ihave pass; $XD resize v0 --capacity 30k; there $XD set v0 --action count
there $XD refresh; got there $XD status v0; has 'v0 (native)'; runs_there v0
not there ip link set v0 xdp off; $LOAD --name x; $XD unload --name x
$XD unload --name v0; idle_there v0; idle v0; clean; kill $far
