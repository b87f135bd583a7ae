saved 20k; ulimit -f 100
refused 'cannot write /mnt/saved/large: File too large' save v0 /mnt/saved/large
