asked 1 nope; says interface nope 'problem: there is no interface nope here -> ip link'
same nope --port 80; asked 1 v0 nope; says programs v0 ok; not says programs nope :
asked 1 v0 v0; says interface v0 'problem: v0 is named twice'; exits 2 $XD load v0 v0 --port 80
has 'v0 is named twice'
