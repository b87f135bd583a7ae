far; $LOAD; ip link set v0 netns $far
$XD unload --all; clean
idle_there v0; kill $far
