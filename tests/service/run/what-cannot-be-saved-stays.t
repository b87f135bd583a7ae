conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'on-exit = unload' 'save = yes' 'state = /proc/none'
serve
$XD add feed $ID_A; kill -TERM $s; exited 1; logs 'feed: stays loaded'
runs v0; $XD test feed $ID_A
