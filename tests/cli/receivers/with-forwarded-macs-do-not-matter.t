$LOAD --forwarded; ip link set v0 address 02:00:00:00:00:77; got $XD status v0
lacks warning; has '
  frames      for any host
'
got $XD status v0 --json; has '"forwarded": true'
