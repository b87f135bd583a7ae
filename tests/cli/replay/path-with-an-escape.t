# A name that could control a terminal is shown as text, and still is a word of a shell.
XD=$(realpath $XD); cd $D; f=$(printf 'a\033[31mb'); cp mesh.pcapng "$f"
$XD replay "$f" >out; not grep "$(printf '\033')" out
sed -n "s|^  xdp-dedup replay |$XD replay |p" out >again; bash again >out; grep '^gsp: ' out
