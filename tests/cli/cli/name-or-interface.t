# A filter's name first, then what runs there, then what did.
$XD load v0 p0 --port 80; got $XD status p0; has 'v0: GSP/1'
got $XD add p0 $ID_A; got $XD test p0 $ID_A; $XD rotate p0; $XD reset p0
$XD refresh p0
exits 3 $XD test p0 $ID_A; fails 'cannot take ids out' $XD remove p0 $ID_A
got $XD status p0 --json; has '"name": "v0"'; $XD unload p0; fails 'no filter p0' $XD status p0
$XD load p0 --port 80 --name b; got $XD status p0; has 'b: GSP/1'
bpftool link detach pinned $PINS/b/link-p0; got $XD status p0; has 'b: GSP/1'
$XD load p0 --port 80 --name c; got $XD status p0; has 'c: GSP/1'
bpftool link detach pinned $PINS/c/link-p0
fails 'p0 runs no filter now, and did run b and c; say which' $XD status p0
fails 'did run b and c' $XD unload p0; got $XD status b; $XD unload --name b
got $XD status p0; has 'c: GSP/1'; $XD load p0 --port 80 --name d; rm -r $PINS/d
soon idle p0; got $XD status p0; has 'c: GSP/1'; $XD unload p0 v0; clean
