undone variables='PREFIX=/usr LIBDIR=/lib64 BINDIR=/programs INCLUDEDIR=/usr/include/x SYSCONFDIR=/conf
	UNITDIR=/units' tool=programs header=usr/include/x library=lib64 \
	pc='${prefix}/include/x /lib64' share=usr/share zsh=zsh/vendor-completions etc=conf \
	units=units runpath=
