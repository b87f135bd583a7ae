$LOAD; listens v0; $SLOW_PATH v0; kill -KILL $pid; wait $pid || :
fails "process $pid, listens to v0" $XD sample v0 --for 1s
ordinary; got $XD status v0; has "
  sampler     process $pid was killed or "
has '(1.0 MB) stays until the next sample, or unload
'
[ "$(asked)" = "[$pid,false,null,null,1048576]" ]
$SEND p0 1 1; listens v0; $SEND p0 2 1; shown 1; stops
got $XD status v0; lacks sampler
