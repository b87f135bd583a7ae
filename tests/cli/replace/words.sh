# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# by_bytes     v0 takes RTP by its bytes, and knows an id
# known TOOL   TOOL says that this id is known
known() { got $1 test v0 00112233445566778899; has known; }
by_bytes() { printf '[profile rtp]
layer = udp
require = payload+0:1/0xc0 == 0x80
exempt = payload+1:1/0xe0 == 0xc0
id = payload+2:10
window = 1h
fpr = 1e-9
' >/mnt/old
$XD load v0 --profiles /mnt/old --profile rtp:5004 --capacity 10k
$XD add v0 00112233445566778899; }
