echo hello >$S; refused 'it is no snapshot' restore v0 $S
: >$S; refused 'it is no snapshot' restore v0 $S
