FILTER="$STREAM --capacity 20M --window 1m"; $XD load v0 v1 $FILTER
arrive '-lt 200' 200 -- join=v0 join=v1 buffer=4096 late
says 'note     buffers'; says 'which is full after'; advises 'which is full after'
lost=$((200 - n)); behind ".sockets[0] | .port == 5568 and .dropped == $lost and
	.buffer_bytes == 8192 and (.program | startswith(\"behind_test (\"))"
jq -e '.advice[] | select(.key == "full_buffer")' /mnt/status
$XD set both --action count; $XD set both --action drop; $XD status both --json >/mnt/status
behind ".host.no_room == $lost and .host.no_socket == 0"
got $XD status both; share=$((lost / 2)).$((lost % 2 * 5))0
has "$lost packets of any port of this host are lost ($share % of new), as"
arrive '= 200' 200 -- join=v0 join=v1 force=50000000 late; silent
