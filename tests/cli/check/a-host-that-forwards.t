trap 'echo 0 >/proc/sys/net/ipv4/ip_forward' EXIT; echo 1 >/proc/sys/net/ipv4/ip_forward
asked 0 v0
says forwarding - 'note: this host forwards packets: those for others'; has '-> --to '
notes forwarding v0 --port 80; asked 0 v0 --to 10.0.0.1; says forwarding - ok
asked 0 v0 --forwarded; says forwarding - ok
