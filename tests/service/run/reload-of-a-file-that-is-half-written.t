conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD add feed $ID_A; p=$(prog)
: >/mnt/conf; reload
logs 'there is no .filter NAME'; printf '[service]\nfilters = none' >/mnt/conf; reload
logs 'the last line has no end'; [ $(prog) = $p ]; $XD test feed $ID_A
conf '[service]' 'filters = none'; reload; idle v0; quits TERM; clean
