rm -f /mnt/conf; start; exited 2; logs 'cannot read'
conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'profiles = /none' 'profile = rtp:1'; start
exited 2; logs '/none: No such'
