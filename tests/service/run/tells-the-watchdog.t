conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve WATCHDOG_USEC=200000; told WATCHDOG=1
quits TERM
