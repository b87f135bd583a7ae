mkdir -p -m 700 $PINS-lock; rm -f /mnt/a /mnt/b
flock $PINS-lock sh -c 'touch /mnt/b; sleep 1; touch /mnt/a' &
until [ -e /mnt/b ]; do sleep 0.01; done; $LOAD; [ -e /mnt/a ]
