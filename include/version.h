/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#define XDP_DEDUP_VERSION "0.2.0"
