mkdir -p -m 700 $PINS; touch /mnt/x; ln -s /mnt $PINS/=leaving
$XD load p0 --port 80 || :; $XD unload p0 || :; ls /mnt/x; rm $PINS/=leaving
$XD unload --all; idle p0; clean
