conf nonsense; start; exited 2; logs 'conf:1: '; got cat /mnt/notes; lacks READY; clean
