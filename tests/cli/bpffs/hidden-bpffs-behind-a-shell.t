# which has the command's mounts
hidden sh -ec '$XD load v0 --port 8001; exit'; [ -e $PINS/v0/timer ]; $XD unload v0
