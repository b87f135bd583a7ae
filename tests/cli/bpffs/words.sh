# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# hidden COMMAND   runs it where another mount hides bpffs, as `ip netns exec` does
hidden() { unshare --mount sh -ec 'umount -l /sys; mount -t sysfs sysfs /sys; exec "$@"' sh "$@"; }
