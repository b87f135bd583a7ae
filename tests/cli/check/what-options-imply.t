asked 0 v0 --port 80,90; notes ports v0 --port 80,90; notes ports v0 --port 80-81
ethtool -K v0 rxvlan on; asked 0 v0 --profile r-tag; notes vlan_tags v0 --profile r-tag
asked 0 v0 --vlan 7; notes vlan_tags v0 --port 80 --vlan 7; asked 0 v0 --vlan any
says vlan_tags - 'ok: the filter does not go by VLAN tags'
ethtool -K v0 rxvlan off; asked 0 v0 --profile r-tag; says vlan_tags - 'ok: VLAN tags'
asked 0 v0 --profile payload:80 --window 1h
notes window v0 --profile payload:80 --window 1h
asked 0 v0 --profile payload:80; says window - 'ok: a window of '; has fits
asked 0 v0 --for 8h
