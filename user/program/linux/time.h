/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces the kernel's header of this name, which conflicts with libc's. */
#include <time.h>
