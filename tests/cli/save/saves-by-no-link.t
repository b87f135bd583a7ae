$LOAD; ln -s /mnt/none /mnt/saved/link; refused 'and no file' save v0 /mnt/saved/link
