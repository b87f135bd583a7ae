# What cannot be read again is not replayed: the command shows it.
made feeds; cat $D/feeds.pcapng | $XD replay - --json >$D/json
holds '.advice | .paths == 2 and (.options | contains("--paths 2")) and .senders == null'
cat $D/feeds.pcapng | $XD replay - >$D/out; not grep '^  sender' $D/out
grep 'and what each path brings and loses:$' $D/out
