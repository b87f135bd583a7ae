# The service's unit and the packages give these.
for more in '' '--deliver xsk'; do $L load v0 p0 --name v0 --port 80 $more
$B status; $B status p0; $B status v0 --json >/mnt/j; $B refresh
$B add v0 $ID_A; $B test v0 $ID_A; $B want v0 $ID_A; $B rotate p0
$B reset v0; $B save v0 /mnt/s; ends $B sample v0; ends $B watch v0 --json
$L set v0 --action count; $L set v0 --remove p0; $L set v0 --add p0
$L load --replace --name v0; $L resize v0 --capacity 20k; $L resize v0 --forget --fpr 1e-5
far; ip link set v0 netns $far; $L set v0 --ihave pass; $B status; $L unload p0
$L unload --name v0; there ip link set v0 netns $$; kill $far
$L restore v0 /mnt/s v0; $L unload --all; idle v0; clean; done
printf '[filter f]\ninterfaces = v0\nport = 1\n' >/mnt/conf; chmod 600 /mnt/conf
ends $L run --config /mnt/conf; $L unload --all; $B status; clean
