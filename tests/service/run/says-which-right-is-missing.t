conf '[filter feed]' 'interfaces = v0' 'port = 8001'; chmod 644 /mnt/conf
exits 0 $NOBODY run --check --config /mnt/conf
has '1 filter'
fails 'needs CAP_BPF and CAP_PERFMON and CAP_NET_ADMIN' $NOBODY run --config /mnt/conf
