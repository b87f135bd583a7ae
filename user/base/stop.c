// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void catch (int signal)
{
	caught = signal;
}

void stop_on_signals(int more)
{
	const int signals[] = { SIGINT, SIGTERM, SIGHUP, more };
	const struct sigaction action = { .sa_handler = catch };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i])
			sigaction(signals[i], &action, NULL);
}

int stop_signal(void)
{
	return caught;
}

void stop_end_by_pipe(void)
{
	if (caught != SIGPIPE)
		return;
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}
