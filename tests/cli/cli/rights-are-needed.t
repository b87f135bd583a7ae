$LOAD; for verb in 'load p0 --port 80' 'set v0 --ihave pass' 'resize v0 --capacity 2k' \
	'unload v0' 'unload --all' 'restore x /mnt/s' 'load v0 --replace' 'run'; do
	fails 'needs CAP_BPF;' $NB $verb
	fails 'needs CAP_PERFMON;' $NP $verb
	fails 'needs CAP_NET_ADMIN;' $NA $verb; done
for verb in status refresh 'rotate v0' 'reset v0' 'add v0 00000000000000000000000000000000000000000000000000000000000000aB' 'test v0 00000000000000000000000000000000000000000000000000000000000000aB' \
	'want v0 00000000000000000000000000000000000000000000000000000000000000aB' 'save v0 /mnt/s' 'sample v0' 'watch v0 --json'; do
	fails 'needs CAP_BPF;' $NB $verb; done; runs v0
fails 'needs CAP_NET_ADMIN and CAP_SYS_ADMIN;' $as,+bpf $XD lost v0
fails 'needs CAP_SYS_ADMIN;' $as,+bpf,+net_admin $XD lost v0
got $XD load --help; has 'CAP_BPF and CAP_PERFMON and CAP_NET_ADMIN and access'
got $XD add --help; has 'CAP_BPF and access'
