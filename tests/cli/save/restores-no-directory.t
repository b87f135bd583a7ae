refused 'it is no file' restore v0 /mnt/saved
