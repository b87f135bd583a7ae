// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish --credentials, with a server that knows its users by an operator's JWTs: who
 * publishes, and what the program says if it may not.
 */
#include "offers.h"
#include "stream_reader.h"

#define EVENTS 50
#define SEED 7
#define CREDENTIALS "/mnt/node.creds"
#define OWN "/mnt/own.creds" /* of the test's own connections */
#define REFUSED "nats://10.76.0.10:4222: the login is refused: Authorization Violation"

/* Writes the credentials of a new user: an account, and options. */
static void write_user(const char *path, const char *user)
{
	sh("umask 077; tests/fixture/publish/credentials.py user /mnt %s %s", path, user);
}

static void start_server(void)
{
	sh("tests/fixture/publish/credentials.py operator /mnt events plain-no_jetstream "
	   "strangers-unknown");
	write_user(OWN, "events");
	jetstream_start(
		&(struct jetstream_plan){ .lines = "include operator.conf", .credentials = OWN });
}

/* The node publishes the events that it is offered. */
static void assert_publishes(void)
{
	offers_send(&(struct offers_plan){
		.events = EVENTS, .copies_max = 2, .rate = 1000, .seed = SEED });
	stream_assert_all_once(SEED, EVENTS);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

TEST(right_credentials)
{
	start_server();
	write_user(CREDENTIALS, "events");
	node_add(0, "");
	node_publish(0, "--create --credentials " CREDENTIALS);
	node_await_ready(0);
	assert_publishes();
}

/* The server ends the connection when the JWT expires. The file has been replaced before. */
TEST(credentials_are_renewed)
{
	start_server();
	node_add(0, "");
	write_user(CREDENTIALS, "events expires=8");
	node_publish(0, "--create --credentials " CREDENTIALS);
	node_await_ready(0);
	write_user(CREDENTIALS, "events");
	node_await_metric(0, "connections_total", 2);
	node_await_ready(0);
	assert_publishes();
}

/* Why no event is published. */
static const struct refusal {
	const char *name;
	const char *user;
	const char *setup; /* a shell command, with the file written */
	const char *words;
} REFUSALS[] = {
	{ "user_without_rights", "events 'publish=other.>'", NULL,
	  "no answer within 5 s; the account may lack the right to ask for it" },
	{ "account_without_jetstream", "plain", NULL,
	  "stream EVENTS: cannot be looked up: JetStream not enabled for account" },
	{ "user_of_an_unknown_account", "strangers", NULL, REFUSED },
	{ "key_of_another_user", "events other_key", NULL, REFUSED },
	{ "expired", "events expires=-60", NULL, REFUSED },
	{ "no_file", "events", "rm " CREDENTIALS, CREDENTIALS ": No such file or directory" },
	{ "no_jwt", "events", "echo hello >" CREDENTIALS,
	  "no nkey user seed found in '" CREDENTIALS "'" },
	{ "no_key", "events", "sed -i '4,$d' " CREDENTIALS,
	  "no nkey user seed found in '" CREDENTIALS "'" },
};

static void refuses(void **state)
{
	const struct refusal *r = *state;

	start_server();
	write_user(CREDENTIALS, r->user);
	if (r->setup)
		sh("%s", r->setup);
	node_add(0, "--port 8001");
	node_publish(0, "--create --check --credentials " CREDENTIALS);
	assert_int_equal(node_end(0, 0), 1);
	process_await(node_publisher(0), r->words);
}

int main(void)
{
	add_own_tests(hub_setup, offers_teardown);
	add_rows(REFUSALS, refuses, hub_setup, offers_teardown);
	return run_added_tests("publish_credentials");
}
