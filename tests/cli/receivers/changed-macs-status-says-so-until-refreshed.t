$LOAD; got $XD status v0; lacks warning
ip link set v0 address 02:00:00:00:00:77; got $XD status v0
has '  warning     the MACs of v0 or of what is on top of it have changed: xdp-dedup refresh v0'
got $XD status v0 --json; has '"macs_changed": [
    "v0"
  ]'
$XD refresh v0; got $XD status v0; lacks warning
# A bridge without a MAC of its own takes its port's.
ip link set v0 master b0; got $XD status v0; lacks warning
ip link set b0 address 02:00:00:00:00:78; got $XD status v0; has 'have changed'
$XD refresh; got $XD status v0; lacks warning
ip link set v0 nomaster; got $XD status v0; has 'have changed'
$XD refresh v0; got $XD status v0; lacks warning
