# 137: it goes on for ever
$LOAD
export ASAN_OPTIONS=detect_leaks=0
for n in 4 5 6 7 8 9 10 11 12 13 14; do for verb in status rotate; do
timeout -s KILL 20 sh -c 'ulimit -n $0; exec "$@"' $n $XD $verb v0 \
	>/dev/null 2>&1 || [ $? != 137 ]
done; done
