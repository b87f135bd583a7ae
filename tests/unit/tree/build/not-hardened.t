hardened ' -O2' 'FORTIFY\|-fstack-p\|-f[pP][iI][eE]\|-pie\|relro' HARDEN=
