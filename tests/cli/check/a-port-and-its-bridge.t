ip link set v0 master b0; asked 1 v0 b0
says stacking - 'problem: b0 is on top of v0: a packet would meet the filter twice'
same v0 b0 --port 80; same b0 v0 --port 80; clean
asked 0 v0; says layers v0 'ok: on top of it: b0'
asked 0 b0; says layers b0 'note: b0 is on top of v0, where the filter would run'
