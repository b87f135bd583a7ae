# What it cannot see it does not take for good, nor for bad.
$LOAD; code=0; $NOBODY check p0 --name v0 --json >/mnt/j 2>/mnt/e || code=$?; [ $code = 1 ]
[ ! -s /mnt/e ]; says rights - 'problem: not permitted: load needs CAP_BPF and'
[ "$(jq -c '[.checks[] | select(.verdict == "problem").check]' /mnt/j)" = '["rights"]' ]
fails "$(first problem)" $NOBODY load p0 --port 80
for c in kernel jit lock name; do says $c - 'unknown: '; done
says mtu p0 'ok: '; says forwarding - 'ok: '; says driver p0 'driver veth'
