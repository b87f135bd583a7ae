# An interface's second name stands for that interface.
ip link property add dev v0 altname other; $XD load other --port 80; got $XD status
has 'interfaces  v0 (native)
'; $XD unload other; idle v0
$XD load v0 p0 --port 80; $XD set v0 --remove other; idle v0; $XD unload p0
