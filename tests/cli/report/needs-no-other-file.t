$XD replay $D/mesh.pcapng --html $D/page.html >/dev/null
not grep -E '(src|href) *=|url\(|@import|http:[^"]*(js|css)' $D/page.html
