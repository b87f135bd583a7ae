$LOAD --name a; $XD load p0 --port 80 --name b; $XD unload v0 p0; clean; idle v0
