# What is no directory goes itself.
rm -rf /mnt/victim; mkdir /mnt/victim; touch /mnt/victim/a /mnt/victim/b
$LOAD; for name in +v0 +x; do ln -s /mnt/victim $PINS/$name
	$XD refresh v0 || true; ls /mnt/victim/a /mnt/victim/b; done
$XD unload v0; clean; ls /mnt/victim/a /mnt/victim/b
