$LOAD
export ASAN_OPTIONS=detect_leaks=0; for v in v0 '--name v0' --all; do
fails_and_keeps $WITHOUT list 12 $XD unload $v; done
fails_and_keeps $WITHOUT list 12 $LOAD
fails_and_keeps $WITHOUT list 12 $XD load p0 --port 80 --name v0; idle p0
