$LOAD; refused 'cannot write /mnt/none/snapshot: No such file' save v0 /mnt/none/snapshot
