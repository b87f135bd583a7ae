# The hand's turns cost what there is to forget, not what there could be.
/usr/bin/python3 - >$D/slow.pcapng <<'END'
import struct, sys
out = sys.stdout.buffer
out.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
for i in range(2000):
    data = struct.pack('>BBHHHBBHII', 0x45, 0, 20, i + 1, 0, 64, 253, 0, 1, 2)
    total = sum(struct.unpack('>10H', data))
    total = 0xffff - (total % 0xffff or 0xffff)
    data = data[:10] + struct.pack('>H', total) + data[12:]
    ns = i * 75000000
    for _ in range(1 + i % 2):
        out.write(struct.pack('<IIII', ns // 10**9, ns % 10**9, 20, 20) + data)
END
ulimit -t 20
replayed slow '.streams[0].counters | .new == 2000 and .duplicate == 1000' --profile mirror --capacity 4M
