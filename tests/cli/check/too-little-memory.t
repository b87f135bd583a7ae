asked 1 v0 --capacity $HUGE --fpr 0.01 --window 720h
says memory - 'problem: the filter takes '; has '-> lower --capacity or raise --fpr'
# What is free changes.
fails 'of memory are free; lower --capacity' $XD load v0 --port 80 --capacity $HUGE \
	--fpr 0.01 --window 720h
