# the file is /mnt/run/conf.prom
conf '[service]' 'metrics-every = 100ms' '[filter feed]' 'interfaces = v0' 'port = 8001'
$XD load b0 --port 1 --name other; serve
wrote() { grep -q "filter_up.*\"$1\"" /mnt/run/conf.prom; }; soon wrote feed
not wrote other; sed -i '1a metrics-all = yes' /mnt/conf; reload; soon wrote other
sed -i /^metrics-all/d /mnt/conf; reload; gone() { ! wrote other; }; soon gone
wrote feed; quits TERM
