far; $LOAD; ip link set v0 netns $far
there ip link del v0; got $XD status v0; has 'v0 (gone)'
ip link add v0 group 7 type veth peer name q0 group 7
got $LOAD; has 'note: removing what an earlier load left of v0'
$XD unload v0; clean; kill $far
