undone variables= tool=usr/local/bin header=usr/local/include library=usr/local/lib \
	pc='${prefix}/include ${prefix}/lib' share=usr/local/share zsh=zsh/site-functions etc=etc \
	units=usr/local/lib/systemd/system runpath=
