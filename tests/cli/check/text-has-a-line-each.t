exits 1 $XD check v0 nope; has 'ok       rights '; has 'load would fail: '
has '
problem  interface  nope     there is no interface nope here
'
has ' -> ip link shows those there are
'; got $XD check v0; has 'load should work: '
has ', 0 problems'
