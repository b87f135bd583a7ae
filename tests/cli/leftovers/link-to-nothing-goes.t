$LOAD; ln -s /mnt/none $PINS/+v0
$XD load p0 --port 80; $XD unload --all; clean
