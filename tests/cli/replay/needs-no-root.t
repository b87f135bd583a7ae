chmod 755 $D; chmod 644 $D/*; cp $XD /mnt/tool; $NOBODY replay $D/mesh.pcapng --port 8001
