saved; $XD unload v0; refused none0 restore other $S none0
