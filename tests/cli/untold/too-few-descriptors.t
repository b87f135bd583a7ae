$LOAD
export ASAN_OPTIONS=detect_leaks=0
for n in 4 5 6 7 8 9 10 11 12 13 14; do for v in v0 --all; do
unloads_or_keeps sh -c 'ulimit -n $0; exec "$@"' $n $XD unload $v
done; done
