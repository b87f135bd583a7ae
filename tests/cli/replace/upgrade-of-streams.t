$XD load v0 --profile rtp:5004 --profile moldudp64:26400@233.54.12.0/24
$NEXT load --replace --name v0
got $NEXT status v0
has rtp
has moldudp64
$NEXT unload v0
