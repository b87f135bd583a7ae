ip link add v1 group 7 type veth peer name p1 group 7
$LOAD v1
rm $PINS/v0/link-v0; soon idle v0; runs v1; got $XD status v0
has 'v0 (detached)'; $XD set v0 --add v0; runs v0; $XD unload --name v0; clean
