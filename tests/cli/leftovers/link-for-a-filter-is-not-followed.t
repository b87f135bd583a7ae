rm -rf /mnt/victim; mkdir /mnt/victim; touch /mnt/victim/a /mnt/victim/b
mkdir -p -m 700 $PINS; ln -s /mnt/victim $PINS/v0
fails 'the pins of v0 are incomplete' $XD status v0
$XD unload --name v0; clean; ls /mnt/victim/a /mnt/victim/b
