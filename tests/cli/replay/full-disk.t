mount -t tmpfs -o size=8k tmpfs /mnt; trap 'umount /mnt' EXIT
error 1 /mnt/p $D/mesh.pcapng --port 8001 --write-passed /mnt/p; [ -z "$(ls /mnt)" ]
