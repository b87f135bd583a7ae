undone variables=PREFIX=/usr tool=usr/bin header=usr/include library=usr/lib/$(cc -print-multiarch) \
	pc='${prefix}/include ${prefix}/lib'/$(cc -print-multiarch) share=usr/share \
	zsh=zsh/vendor-completions etc=etc units=usr/lib/systemd/system runpath=
