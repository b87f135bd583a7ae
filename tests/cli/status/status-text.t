$XD load v0 p0 --port 9000-9010,80 --capacity 500 --window 90s; got $XD status
has 'v0: GSP/1 on UDP port 80,9000-9010, duplicates are dropped
'
has '
  interfaces  v0 (native), p0 (native)
'
has '
  filter      blocked, fast hash; '; has ' words x '
has '
  promise     at most 0.0001 of fresh events lost, at 500 ids a window of 1m '
has '
  hand        at '; has ' of turn 1; oldest id at most '
has '
  fill        current 0.00 % (0 bits), previous 0.00 % (0 bits)
'
has '
  estimate    0 ids; false-positive rate now 0
'; has '
  kept away   0 B
'
lacks IHAVEs; $XD unload v0 p0
$LOAD --action count --learn app --ihave pass --name x-1
$XD set x-1 --comment 'a feed'; got $XD status x-1 --json
has '"ihave": "pass"'; has '"comment": "a feed"'; got $XD status x-1
has 'x-1: GSP/1 on UDP port 8001, duplicates are counted and passed
'
has '
  learning    only what an application adds
'
has '
  IHAVEs      all pass
'; has '
  comment     a feed
'
$XD set x-1 --comment ''; got $XD status x-1; lacks comment
