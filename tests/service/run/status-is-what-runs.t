conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; told 'STATUS=feed: v0$'; $XD unload v0
told 'STATUS=feed: does not run on v0'; reload; told 'STATUS=feed: v0$'; quits TERM
