$XD load v0 p0 --port 80; $XD unload v0; idle v0; runs p0; got $XD status v0
has 'interfaces  p0 (native)
'; $XD unload p0; clean
