refused "cannot write $D/none/page.html: No such file or directory" --html $D/none/page.html
refused 'cannot write /dev/full: No space left on device' --html /dev/full; [ -c /dev/full ]
trap '' XFSZ; ulimit -f 4 # of 1,024 bytes
refused "cannot write $D/page.html: File too large" --html $D/page.html; [ ! -e $D/page.html ]
