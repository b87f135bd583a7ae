head -c 5000 $D/mesh.pcapng >$D/cut; fails '' $XD replay $D/cut --html $D/cut.html
grep -q '"complete":false' $D/cut.html
