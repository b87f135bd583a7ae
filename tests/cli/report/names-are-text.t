# What a script's element ends with, or what hides its end.
mkdir $D/'<!--<script>' $D/'<'; cp $D/mesh.pcapng $D/'<!--<script>'/'x<b>&amp;\"'
cp $D/mesh.pcapng $D/'<'/'script><script>document.title = 7'
for f in '<!--<script>/x<b>&amp;\"' '</script><script>document.title = 7'; do
	(cd $D; $OLDPWD/$XD replay "$f" --html page.html >/dev/null); dom $D/page.html
	grep -q '<title>xdp-dedup replay</title>' $D/dom; shows 'Over time'
	[ $(grep -c '<b>x' $D/dom) = 0 ]; done; shows '</script><script>document.title = 7'
