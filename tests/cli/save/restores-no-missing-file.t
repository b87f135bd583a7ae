refused 'No such file' restore v0 /mnt/saved/none
