$LOAD
for cmd in 7 15; do for err in ${ERRORS:-1 12 24}; do
fails_and_keeps $WITHOUT $cmd $err $LOAD
fails_and_keeps $WITHOUT $cmd $err $XD load p0 --port 80 --name v0; idle p0
done; done
