# By one interface, the stack discards all copies alike; else no copy is dropped.
strict 1; $XD load v0 --profile payload:5568@239.255.0.1; got $XD set v0 --add v1
has 'note: v1: the reverse path filter'; $XD unload v0 v1
for options in v1 'v0 v1 --action count' 'v0 v1 --learn app'; do
	got $XD check $options --profile payload:5568@239.255.0.1
	lacks 'that come there first'; done
got $XD check v0 v1 --profile mirror; lacks 'that come there first'
