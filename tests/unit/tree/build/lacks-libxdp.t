lacks_it 'libxdp from 1.3 on (xdp/libxdp.h)' $ALL CPPFLAGS=-I$D/no-libxdp
