undone variables=PREFIX=/opt/x tool=opt/x/bin header=opt/x/include library=opt/x/lib \
	pc='${prefix}/include ${prefix}/lib' share=opt/x/share zsh=zsh/site-functions etc=opt/x/etc \
	units=opt/x/lib/systemd/system runpath=/opt/x/lib
