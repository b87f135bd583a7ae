# the file is /mnt/run/conf.prom
conf '[service]' 'metrics-every = 100ms' 'metrics = /mnt/a/b/x.prom' '[filter feed]' 'interfaces = v0' 'port = 8001'
serve; runs v0
logs 'cannot write /mnt/a/b/x.prom: No such file or directory'; sleep 0.5
[ $(grep -c 'cannot write' /mnt/log) = 1 ]; mkdir /mnt/a; soon test -s /mnt/a/b/x.prom
rm -r /mnt/a; again() { [ $(grep -c 'cannot write' /mnt/log) = 2 ]; }; soon again
quits TERM
