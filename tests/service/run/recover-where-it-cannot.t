# tests/drivers/recover_test.c has what it does where it can.
# the file is /mnt/run/conf.prom
conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'metrics-every = 100ms' 'recover = yes'
got $XD run --check --config /mnt/conf; has 'feed]: recover: off for all filters: on v0 the kernel reports'
serve; logs 'recover: off for all filters: on v0 the kernel reports what XDP drops, too'
soon grep -q '^xdp_dedup_recover_on 0' /mnt/run/conf.prom
reload; sleep 0.2; [ $(grep -c recover: /mnt/log) = 1 ]
ip tuntap add t0 mode tap && ip link set t0 up || { quits TERM; exit 0; }
# the file is /mnt/run/conf.prom
conf '[filter t]' 'interfaces = t0' 'port = 1' '[service]' 'metrics-every = 100ms' 'recover = yes'
reload
logs 'cannot recover losses: there is no drop monitor here'
$XD load v0 --port 7 --name another; reload; now() { [ $(grep -c 'filters: on v0' /mnt/log) = 2 ]; }
soon now; $XD unload --name another
sed -i s/yes/no/ /mnt/conf; reload; none() { ! grep recover /mnt/run/conf.prom; }; soon none
quits TERM
