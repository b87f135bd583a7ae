strict 1; printf '[filter both]\ninterfaces = v0 v1\nprofile = payload:5568\n' >/mnt/c
$XD run --config /mnt/c >/mnt/log 2>&1 & run=$!
soon grep -q 'v1: the reverse path filter' /mnt/log; soon runs v0; soon runs v1
kill $run; wait $run || :
