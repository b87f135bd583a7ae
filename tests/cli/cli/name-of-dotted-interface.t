ip link add v.1 group 7 type bridge; got $XD load v.1 --port 80
has 'note: the filter is called v_1'; got $XD status v_1; has 'v.1 (skb)'
$XD unload v.1; clean
