$LOAD; mkfifo /mnt/saved/fifo; refused 'and no file' save v0 /mnt/saved/fifo
