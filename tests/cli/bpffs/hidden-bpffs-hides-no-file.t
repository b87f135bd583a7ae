$LOAD; mkdir /mnt/work; cd /mnt/work; hidden /mnt/tool save v0 image; ls /mnt/work/image
hidden /mnt/tool restore x image p0; /mnt/tool unload --all
