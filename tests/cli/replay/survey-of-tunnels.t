made tunnels; kinds=mpls,pppoe,ipip,gre,erspan,vxlan,geneve,gtp
surveyed tunnels ".advice.options | startswith(\"--profile mirror --tunnels $kinds \")"
surveyed tunnels '.advice.drops == 600 and ([.tunnels[].truncated] | add) == 122'
replay tunnels --tunnels none
