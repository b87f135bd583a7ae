for o in '--profile rtp:5004 --sources 64' '--port 1 --layout flat --bits 100000'; do
$XD load v0 $o --capacity 1099511627776; $XD save v0 /mnt/snapshot; $XD unload v0
$XD restore v0 /mnt/snapshot; $XD unload v0; done
