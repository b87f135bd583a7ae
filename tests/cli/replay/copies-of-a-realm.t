# By two streams that share their ids: all first packets come by one of them.
made feeds; replay feeds --profile moldudp64:26400@239.0.0.1#f \
	--profile moldudp64:26400@239.0.0.2#f >$D/out
[ $(grep -c 'copies       1.[89]. a message, 2 of' $D/out) = 2 ]
