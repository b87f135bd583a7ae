lacks_it 'libbpf from 1.0 on (bpf/libbpf.h)*' $ALL CPPFLAGS=-I$D/old-libbpf
