left() { $XD status feed --json | jq .drop_left_ns; }
goes_on() { [ $(left) -lt $((b - 900000000)) ] && [ $(left) -gt 3000000000000 ]; }
conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'capacity = 10k' '[service]' 'on-exit = unload' 'save = yes'
serve
$XD set feed --for 1h; b=$(left); p=$(prog); sleep 1; reload; goes_on; [ $(prog) = $p ]
sed -i s/8001/8001,8003/ /mnt/conf; reload; says feed 'ports|length' 2; goes_on
sed -i s/10k/20k/ /mnt/conf; reload; says feed capacity 20000; goes_on; quits TERM; clean; serve
goes_on; quits TERM; clean
sed -i s/20k/30k/ /mnt/conf; serve; says feed capacity 30000; goes_on
sed -i 's/capacity.*/&\naction = drop/' /mnt/conf; reload; [ $(left) = null ]; quits TERM
