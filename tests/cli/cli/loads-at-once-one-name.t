# the other is told, and attaches nothing
for i in 1 2 3 4; do
	$LOAD --name x 2>/mnt/a & b=0; $XD load p0 --port 80 --name x 2>/mnt/b || b=$?
	a=0; wait $! || a=$?; [ $a$b = 01 -o $a$b = 10 ]
	grep 'x is loaded already' /mnt/a /mnt/b; [ $(cat /mnt/a /mnt/b | wc -l) = 1 ]
	if runs v0; then idle p0; else runs p0; fi
	$XD add x $ID_A; $XD unload --name x; clean
done
