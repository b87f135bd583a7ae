$LOAD; ip netns del far 2>/dev/null || :; ip netns add far; ip link set v0 netns far
ip netns exec far ip link set v0 up; listens v0; $SEND p0 1 1; shown 1; stops
got cut -d' ' -f2-4 /mnt/out; is 'pass new gsp'
ip netns exec far $XD unload v0; ip netns del far
