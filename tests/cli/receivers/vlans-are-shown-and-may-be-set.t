ethtool -K v0 rxvlan off; got $LOAD --vlan 10,20-29,none; lacks 'VLAN tags off'
got $XD status v0; has '
  only VLANs  none,10,20-29
'
vlans() { $XD status v0 --json | jq -c .vlans; }
[ "$(vlans)" = '[[0,0],[10,10],[20,29]]' ]
$XD set v0 --action count; [ "$(vlans)" = '[[0,0],[10,10],[20,29]]' ]
$XD set v0 --vlan 7; [ "$(vlans)" = '[[7,7]]' ]
$XD set v0 --profile payload:5004; [ "$(vlans)" = '[[7,7]]' ]
$XD set v0 --vlan none; [ "$(vlans)" = '[[0,0]]' ]
$XD resize v0 --capacity 2k; [ "$(vlans)" = '[[0,0]]' ]
$XD set v0 --vlan any; [ "$(vlans)" = '[]' ]; got $XD status v0; lacks VLANs
$XD unload v0
