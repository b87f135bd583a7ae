$LOAD
for cmd in 5 6 7 15 29; do for err in ${ERRORS:-1 12 24}; do
unloads_or_keeps $WITHOUT $cmd $err $XD unload v0
done; done
