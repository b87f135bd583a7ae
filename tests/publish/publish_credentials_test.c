// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish --credentials, with a server that knows its users by an operator's JWTs: who
 * publishes, and what the program says if it may not.
 */
#include "credentials.h"
#include "jetstream.h"
#include "node.h"
#include "offers.h"
#include "stream_reader.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EVENTS 50
#define SEED 7
#define CREDENTIALS "/mnt/node.creds"
#define OWN "/mnt/own.creds" /* of the test's own connections */
#define REFUSED "nats://10.76.0.10:4222: the login is refused: Authorization Violation"

static const struct credentials_account ACCOUNTS[] = {
	{ .name = "events" },
	{ .name = "plain", .no_jetstream = true },
	{ .name = "strangers", .is_unknown = true },
	{ 0 },
};

static struct offers offers;

static int teardown(void **state)
{
	offers_end(&offers);
	return hub_teardown(state);
}

static void start_server(void)
{
	const char *lines = credentials_operator(ACCOUNTS);

	credentials_write(OWN, &(struct credentials_user){ .account = "events" });
	jetstream_start(&(struct jetstream_plan){ .servers = 1, .lines = lines, .credentials = OWN });
}

static void offer(uint64_t seed)
{
	offers_end(&offers);
	offers_start(
		&offers,
		&(struct offers_plan){
			.events = EVENTS, .nodes = 1, .copies_max = 2, .rate = 1000, .seed = seed });
	offers_wait(&offers);
}

static void right_credentials(void **state)
{
	(void)state;
	start_server();
	credentials_write(CREDENTIALS, &(struct credentials_user){ .account = "events" });
	node_add(0, "--port 8001 --fpr 1e-9");
	node_publish(0, "--create --credentials " CREDENTIALS);
	node_await_ready(0);
	offer(SEED);
	stream_await(NODE_STREAM, EVENTS);
	stream_assert_all_once(NODE_STREAM, SEED, EVENTS);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

/* The server ends the connection when the JWT expires. The file has been replaced before. */
static void credentials_are_renewed(void **state)
{
	(void)state;
	start_server();
	node_add(0, "--port 8001 --fpr 1e-9");
	credentials_write(CREDENTIALS,
			  &(struct credentials_user){ .account = "events", .expires_s = 8 });
	node_publish(0, "--create --credentials " CREDENTIALS);
	node_await_ready(0);
	credentials_write(CREDENTIALS, &(struct credentials_user){ .account = "events" });
	node_await_metric(0, "connections_total", 2);
	node_await_ready(0);
	offer(SEED);
	stream_await(NODE_STREAM, EVENTS);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

/* Why no event is published. */
static const struct refusal {
	const char *name;
	struct credentials_user user;
	const char *setup; /* a shell command, with the file written */
	const char *words;
} REFUSALS[] = {
	{ "user_without_rights",
	  { .account = "events", .publish = "other.>" },
	  NULL,
	  "no answer within 5 s; the account may lack the right to ask for it" },
	{ "account_without_jetstream",
	  { .account = "plain" },
	  NULL,
	  "stream EVENTS: cannot be looked up: JetStream not enabled for account" },
	{ "user_of_an_unknown_account", { .account = "strangers" }, NULL, REFUSED },
	{ "key_of_another_user", { .account = "events", .other_key = true }, NULL, REFUSED },
	{ "expired", { .account = "events", .expires_s = -60 }, NULL, REFUSED },
	{ "no_file",
	  { .account = "events" },
	  "rm " CREDENTIALS,
	  "error opening file '" CREDENTIALS "': No such file or directory" },
	{ "no_jwt",
	  { .account = "events" },
	  "echo hello >" CREDENTIALS,
	  "no nkey user seed found in '" CREDENTIALS "'" },
	{ "no_key",
	  { .account = "events" },
	  "sed -i '4,$d' " CREDENTIALS,
	  "no nkey user seed found in '" CREDENTIALS "'" },
};

static void refuses(void **state)
{
	const struct refusal *r = *state;

	start_server();
	credentials_write(CREDENTIALS, &r->user);
	if (r->setup)
		sh("%s", r->setup);
	node_add(0, "--port 8001");
	node_publish(0, "--create --check --credentials " CREDENTIALS);
	assert_int_equal(node_end(0, 0), 1);
	process_await(node_publisher(0), r->words);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(right_credentials, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(credentials_are_renewed, hub_setup, teardown),
	};

	add_tests(tests, ARRAY_SIZE(tests));
	add_rows(REFUSALS, refuses, hub_setup, teardown);
	return run_added_tests("publish_credentials");
}
