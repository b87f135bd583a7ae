/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instead of the kernel's header of this name, which libc's contradicts. */
#include <time.h>
