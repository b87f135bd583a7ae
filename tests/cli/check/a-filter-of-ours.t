$LOAD; asked 1 v0; says programs v0 'v0 already runs the filter v0 -> xdp-dedup set, resize'
says name - 'problem: the filter v0 is loaded already -> xdp-dedup set'; asked 1 v0 --name x
says name - ok; same v0 --port 80 --name x; asked 1 p0 --name v0; same p0 --port 80 --name v0
asked 0 p0
