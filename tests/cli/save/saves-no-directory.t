$LOAD; refused 'and no file' save v0 /mnt/saved
