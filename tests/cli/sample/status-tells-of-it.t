$LOAD; got $XD status v0; lacks sampler; [ "$(asked)" = null ]
listens v0 --rate 77 --snap 100; got $XD status v0
has "
  sampler     process $pid, at most 77 packets a second
"
[ "$(asked)" = "[$pid,true,77,100,1048576]" ]; stops
got $XD status v0; lacks sampler; [ "$(asked)" = null ]
rm $PINS/v0/samples; got $XD status v0; lacks sampler
