refused 'there is no filter v0' save v0 $S
