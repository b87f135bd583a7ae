$LOAD
$XD set v0 --remove v0 --add p0
idle v0; runs p0
fails 'v0 would run nowhere' $XD set v0 --remove p0
runs p0
