by_bytes
got $XD load --replace --name v0 --profile rtp:5004
has 'what stream rtp knew is forgotten'
got $XD status v0; has 'id: a source and a number, 6 bytes'
exits 3 $XD test v0 0000000a0001; has unknown
fails 'give 12 hex digits' $XD test v0 00112233445566778899
$XD unload v0
