# What came by a pipe cannot be read again from there.
$XD replay - <$D/mesh.pcapng >$D/out; grep '^  xdp-dedup replay FILE --profile gsp' $D/out
