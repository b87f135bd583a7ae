for kinds in mpls pppoe mpls,pppoe,vlan; do
  asked 0 v0 --profile mirror --tunnels $kinds --outer-to 192.0.2.7
  says tunnels v0 'note: with --outer-to no tunnel of these kinds is opened'
done; notes_of tunnels v0 --profile mirror --tunnels mpls --outer-to 192.0.2.7
for options in '--tunnels mpls' '--tunnels vlan --outer-to 192.0.2.7' \
    '--tunnels gre,mpls --outer-to 192.0.2.7'; do
  asked 0 v0 --profile mirror $options; says tunnels v0 'ok: no tunnel device takes'
done
