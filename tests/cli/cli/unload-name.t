$LOAD --name a; $XD load p0 --port 80 --name b; $XD unload --name a
idle v0; runs p0; fails 'v0 runs no filter' $XD unload v0 p0; idle p0; clean
