# What is there stays if nothing can be begun.
echo mine >$D/p
error 1 none/d $D/mesh.pcapng --port 8001 --write-passed $D/p --write-dropped $D/none/d
[ ! -s $D/out ]; grep mine $D/p; [ ! -e $D/p.part ]
