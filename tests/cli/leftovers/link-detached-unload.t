$LOAD
bpftool link detach pinned $PINS/v0/link-v0
$XD unload v0; clean
