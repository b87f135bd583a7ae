chmod 755 $D; chmod 644 $D/*; cp $XD /mnt/tool
fails CAP_BPF $NOBODY replay $D/mesh.pcapng --port 8001 --engine kernel
