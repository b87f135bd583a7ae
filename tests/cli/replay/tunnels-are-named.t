made tunnels; got replay tunnels --profile mirror --tunnels erspan,vxlan:4789
has '
  opened       tunnels: erspan,vxlan:4789; '; has 'from 192.0.2'
for t in none erspan all; do
	replayed tunnels ".streams[0].tunnels == \"$t\"" --profile mirror --tunnels $t; done
