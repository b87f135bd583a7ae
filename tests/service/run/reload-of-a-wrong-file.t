conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; p=$(prog); more 'capacity = many'
reload
logs 'conf:4: capacity many'; logs 'stays as it was'; [ $(prog) = $p ]
rm /mnt/conf; reload; logs 'cannot read'; [ $(prog) = $p ]; quits TERM; runs v0
