far; $LOAD; ip link set v0 netns $far
there $XD unload v0; clean
idle_there v0; kill $far
