# Of IPv6 packets with any next header, the snap length cuts padding alone: none is missed.
/usr/bin/python3 - >$D/cut.pcapng <<'END'
import struct, sys
out = sys.stdout.buffer
out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
body = {44: bytes([59, 0, 0, 0]), 51: bytes([59, 4])}
for n in range(256):
    ip = struct.pack('>IHBB', 6 << 28, 24, n, 64) + bytes(31) + bytes([n])
    packet = bytes(12) + b'\x86\xdd' + ip + body.get(n, bytes([59, 1])).ljust(24, b'\0')
    for i in 0, 1:
        out.write(struct.pack('<IIII', n, i, len(packet), len(packet) + 26) + packet)
END
for options in mirror payload:9 'mirror --tunnels vxlan'; do
	replayed cut '.snapped == 0' --profile $options; done
