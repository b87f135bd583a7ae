rm -rf /mnt/victim; mkdir /mnt/victim; touch /mnt/victim/a /mnt/victim/b
touch /mnt/victim/config
$LOAD; ln -s /mnt/victim $PINS/+x
$XD load p0 --name x --port 80 || true; ls /mnt/victim/config
$XD unload --all || true; ls /mnt/victim/config
rm -f $PINS/+x; $XD unload --all; clean; ls /mnt/victim/a /mnt/victim/b
