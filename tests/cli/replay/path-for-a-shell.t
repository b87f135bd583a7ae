XD=$(realpath $XD); cd $D
for f in "two words" "it's" -x; do cp mesh.pcapng "./$f"; $XD replay -- "$f" >out
	sed -n "s|^  xdp-dedup replay |$XD replay |p" out >again; sh again >out; grep '^gsp: ' out; done
