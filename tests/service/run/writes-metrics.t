# the file is /mnt/run/conf.prom
rm -rf /mnt/run
conf '[service]' 'metrics-every = 100ms' '[filter feed]' 'interfaces = v0' 'port = 8001' '[filter late]' 'interfaces = x0' 'port = 1'
serve
wrote() { output=$(cat /mnt/run/conf.prom) && has "$1"; }
soon wrote 'xdp_dedup_filter_up{filter="feed"} 1'
has '# xdp-dedup: written every 1 s'; has 'xdp_dedup_filter_up{filter="late"} 0'
has 'xdp_dedup_rx_packets_total{filter="feed"'
[ $(stat -c %a /mnt/run) = 755 ]
[ $(stat -c %a /mnt/run/conf.prom) = 644 ]; [ $(ls -A /mnt/run | wc -l) -le 3 ]
i=$(stat -c %i /mnt/run/conf.prom)
anew() { [ $(stat -c %i /mnt/run/conf.prom) != $i ]; }; soon anew
sed -i '1a metrics = /mnt/other/x.prom' /mnt/conf; reload; soon test -s /mnt/other/x.prom
not test -e /mnt/run/conf.prom; sed -i 's/^metrics = .*/metrics = none/' /mnt/conf
reload; not test -e /mnt/other/x.prom; sed -i /^metrics.=/d /mnt/conf; reload
soon test -e /mnt/run/conf.prom; quits TERM; [ "$(ls -A /mnt/run)" = conf.lock ]
