ip link add m0 link v0 group 7 type macvlan
fails 'm0 is on top of v0' $XD load v0 p0 m0 --port 80; clean
ip link add t0 link v0 group 7 type macvtap
fails 't0 is on top of v0' $XD load t0 v0 --port 80; clean
ip link del m0; ip link del t0
