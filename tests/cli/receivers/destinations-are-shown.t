$LOAD --to 10.1.2.3/8,fd00::/8,10.0.0.1; got $XD status v0
has '
  only to     10.0.0.0/8,10.0.0.1,fd00::/8
'
got $XD status v0 --json; has '"10.0.0.0\/8"'; has '"forwarded": false'
