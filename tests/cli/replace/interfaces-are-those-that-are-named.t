$LOAD p0
$XD load v0 --replace
runs v0; idle p0
$XD load --name v0 --replace p0
idle v0; runs p0
$XD load --name v0 --replace p0 v0
runs v0; runs p0
$XD load --name v0 --replace
runs v0; runs p0
ip link property add dev p0 altname other0
$XD load --name v0 --replace other0
idle v0; runs p0
fails 'v1' $XD load --name v0 --replace v1
runs p0
