/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces libxdp's header of this name in user space: there is no dispatcher to configure. */
#pragma once

#define XDP_RUN_CONFIG(program) run_config_of_##program
