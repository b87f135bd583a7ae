strict 1; arrive '= 20' 20 -- join=v0 join=v1
exits 1 $XD load v0 v1 $FILTER
has 'xdp-dedup: v1: the reverse path filter discards what its own network sends'
got $XD load v0 v1 $FILTER --force; has 'note: v1: the reverse path filter'
arrive '= 0' 20 -- join=v0 join=v1
says 'problem  reverse_path v1'; says '-> sysctl -w net/ipv4/conf/v1/rp_filter=2'
advises 'v0: the reverse path filter discards what comes from other networks'
ip route add default via 10.9.0.9 dev v0; echo 2 >/proc/sys/net/ipv4/conf/v1/rp_filter
arrive '= 20' 20 -- join=v0 join=v1; silent
ip route del default; arrive '= 20' 20 -- join=v0 join=v1
says 'v1: the reverse path filter discards what comes from other networks, as there is no'
