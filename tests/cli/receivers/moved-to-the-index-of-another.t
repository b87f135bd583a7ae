# There it gets the index that the other one has here: of a filter that delivers, which knows queues by it, only one of them can be.
far
last=$(cat /sys/class/net/*/ifindex | sort -n | tail -n 1); n=0; k=0
until [ $k -gt $last ]; do there ip link add y$((n += 1)) type bridge
	k=$(there ip -o link show y$n | cut -d: -f1); done; k=$((k + 1))
ip link add z0 index $k group 7 type bridge
$XD load p0 z0 --port 80 --deliver xsk; ip link set p0 netns $far
[ $(there ip -o link show p0 | cut -d: -f1) = $k ]
got $XD status p0; has 'z0 has the index of p0 in another network'; got there $XD status p0
has 'warning     p0 has the index of z0 in another network namespace: '
there $XD status p0 --json >/mnt/j; [ $(jq -r .same_index /mnt/j) = p0 ]
there $XD unload p0; got $XD status p0; lacks warning; $XD unload z0; clean
# One that keeps its index is not its own twin.
there ip link set p0 netns $$; for i in $(seq $n); do there ip link del y$i; done
index=$(cat /sys/class/net/v0/ifindex); $XD load v0 z0 --port 80 --deliver xsk
ip link set v0 netns $far; [ $(there ip -o link show v0 | cut -d: -f1) = $index ]
got there $XD status v0; lacks 'the index'
there $XD refresh v0; there $XD unload v0; $XD unload z0; clean; ip link del z0
kill $far
