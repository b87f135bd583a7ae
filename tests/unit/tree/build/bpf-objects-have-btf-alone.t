# The kernel reads BTF; DWARF would be two fifths of the tool.
for i in build/*.bpf.o; do readelf -SW $i >$D/sections; grep -q ' \.BTF ' $D/sections
	grep -q ' \.BTF.ext ' $D/sections; not grep debug_ $D/sections; done
