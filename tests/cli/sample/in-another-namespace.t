ip netns del far 2>/dev/null || :; ip netns add far
ip link set v0 netns far; ip netns exec far ip link set v0 up
ip netns exec far $XD load v0 --port 8001 --name there
fails 'there is no filter v0' $XD sample v0; listens there; $SEND p0 1 1; shown 1; stops
got cut -d' ' -f2-5 /mnt/out; is 'pass new gsp v0'
ip netns exec far $XD unload v0; ip netns del far
