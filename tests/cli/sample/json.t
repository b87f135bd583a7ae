$LOAD; listens v0 --json; $SEND p0 1 1; $SEND p0 1 1; shown 2; stops
got jq -r 'keys_unsorted | join(" ")' /mnt/out
keys='time_ns verdict reason stream interface ifindex source source_port destination'
keys="$keys destination_port id bytes"; is "$keys
$keys"
got jq -r 'select(.reason == "duplicate") | [.verdict, .stream, .interface, .ifindex, .source,
.source_port, .destination, .destination_port, .bytes] | join(" ")' /mnt/out
is "drop gsp v0 $(cat /sys/class/net/v0/ifindex) 10.0.0.1 4001 10.0.0.2 8001 82"
got jq -r '(.time_ns / 1e9 - now) | fabs < 60' /mnt/out; is 'true
true'
