# As the log says: to unload one of them lets the other one go on.
conf '[filter a]' 'interfaces = v0' 'port = 1' '[filter b]' 'interfaces = p0' 'port = 1'
serve; p=$(prog); $XD add a $ID_A
conf '[filter a]' 'interfaces = p0' 'port = 1' '[filter b]' 'interfaces = v0' 'port = 1'
reload; logs 'unload p0 forgets all ids'; [ $(prog) = $p ]; $XD test a $ID_A
$XD unload p0; runs() { says a 'interfaces[0].name' p0 && says b 'interfaces[0].name' v0; }
soon runs; $XD test a $ID_A; quits TERM; $XD unload v0; $XD unload p0
