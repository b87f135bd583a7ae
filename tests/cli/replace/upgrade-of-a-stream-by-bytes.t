by_bytes
$NEXT load v0 --replace; known $NEXT
got $NEXT status v0; has 'id: 10 bytes'
$NEXT load --replace --name v0 --profile rtp:5004 --forget
got $NEXT status v0; has 'id: a source and a number, 6 bytes'
$NEXT unload v0
