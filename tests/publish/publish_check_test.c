// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish --check: what it says, and its exit status. */
#include "await.h"
#include "node.h"

/* Returns whether the process takes SIGTERM itself: bit 14 of its mask of blocked signals. */
static bool takes_signals(const struct process *p)
{
	char out[64];

	return !sh_out(out, sizeof(out),
		       "[ $((0x$(awk '/^SigBlk/ { print $2 }' /proc/%d/status) >> 14 & 1)) = 1 ]",
		       p->pid);
}

/* Not all was checked: that is no success. */
TEST(ended_by_a_signal)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	node_add(0, "--port 8001");
	jetstream_stop(0, true); /* connections are made, and not answered */
	node_publish(0, "--create --check");
	AWAIT_EVERY(10, takes_signals(node_publisher(0)), (void)0);
	assert_int_equal(node_end(0, SIGTERM), 1);
	process_await(node_publisher(0), "ended by signal 15 before all was checked");
}

/* As many descriptors as the program may open, until the filter can be opened, and one of its
 * streams cannot. The reason is told.
 */
TEST(says_why_a_filter_cannot_be_read)
{
	char out[4096] = "";

	node_add(0, "--port 8001");
	for (int max = 4; max < 100 && !strstr(out, "cannot be read"); max++)
		sh_out(out, sizeof(out),
		       "prlimit --nofile=%d %s node0 --server nats://" HUB_ADDRESS
		       " --stream S --subject s --check",
		       max, node_publish_program());
	if (!strstr(out, "filter node0 cannot be read: Too many open files"))
		fail_msg("%s", out);
}

#define SECRET "--secret /mnt/secret"

/* Starts with these options, and ends by itself, with these words in the log, and without those. */
static const struct verdict {
	const char *name, *load; /* NULL: --port 8001 */
	const char *options, *words, *lacks;
	int status;
	uint32_t duplicates_s; /* of the stream, made before; 0: there is none */
	const char *setup;     /* a shell command */
} VERDICTS[] = {
	{ "no_stream", NULL, "", "there is no stream EVENTS", .status = 1 },
	{ "check_without_stream", NULL, "--check", "there is no stream EVENTS", .status = 1 },
	{ "window_shorter_than_skew", NULL, "--skew 30s",
	  "stream EVENTS knows ids for 10s only, and another machine may publish an event 30s",
	  .status = 1, .duplicates_s = 10 },
	{ "created_window_shorter_than_skew", NULL, "--create --duplicates 10s --skew 1m",
	  "--duplicates is shorter than --skew", .status = 2 },
	{ "digest_without_secret", "--profile payload:8001", "--create", "--secret", .status = 1 },
	{ "laps_without_secret", "--profile rtp:8001", "--create", "--secret", .status = 1 },
	{ "secret_of_others", NULL, "--create " SECRET, "/mnt/secret", .status = 1,
	  .setup = "head -c 32 /dev/zero >/mnt/secret; chmod 640 /mnt/secret" },
	{ "secret_too_short", NULL, "--create " SECRET, "/mnt/secret has 31 bytes", .status = 1,
	  .setup = "umask 077; head -c 31 /dev/zero >/mnt/secret" },
	{ "secret_missing", NULL, "--create " SECRET, "/mnt/secret", .status = 1 },
	{ "no_udp", "--profile mirror", "--create", "mirror", .status = 1 },
	{ "other_subjects", NULL, "--subject other.x", "does not take the subject other.x",
	  .status = 1, .duplicates_s = 120 },
	{ "no_delivery", NULL, "--create --receive xsk", "xsk", .status = 1 },
	{ "misused", NULL, "--pending 0", "--pending", .status = 2 },
	/* What may be there twice. */
	{ "window_as_long_as_retries", NULL, "--check", "connected", "retries", .duplicates_s = 32 },
	{ "window_shorter_than_retries", NULL, "--check",
	  "stream EVENTS knows ids for 31s, and the retries of an event take longer: the event may "
	  "be there twice; make the stream's duplicate window at least 32s",
	  .duplicates_s = 31 },
	{ "window_shorter_than_one_retry", NULL, "--check --retries 1 --ack-timeout 30s",
	  "make the stream's duplicate window at least 31s", .duplicates_s = 30 },
	{ "window_without_retries", NULL, "--check --retries 0 --ack-timeout 1h", "connected",
	  "retries", .duplicates_s = 30 },
	/* What may be lost, by how the filter learns. */
	{ "learn_kernel", NULL, "--create --check",
	  .words = "xdp-dedup set node0 --learn app lets copies" },
	{ "learn_numbers", "--profile moldudp64:8001@10.78.0.2", "--create --check",
	  .words = "xdp-dedup lost node0 --want lets the next copies" },
	{ "learn_app", "--port 8001 --learn app", "--create --check", "connected",
	  .lacks = "is lost with its later copies" },
};

TEST_ROWS(ends_by_itself, VERDICTS)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	if (row->duplicates_s)
		jetstream_put(row->duplicates_s, 0);
	if (row->setup)
		sh("%s", row->setup);
	node_add(0, row->load ?: "--port 8001");
	node_publish(0, row->options);
	assert_int_equal(node_end(0, 0), row->status);
	process_await(node_publisher(0), row->words);
	assert_false(row->lacks && process_has_said(node_publisher(0), row->lacks));
}

TEST(no_such_filter)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	node_add(0, "");
	node_sh(0, "%s unload in", tool());
	node_publish(0, "--create");
	assert_int_equal(node_end(0, 0), 1);
	process_await(node_publisher(0), "there is no filter node0");
}

#define URL "nats://10.76.0.10:4222"
#define REFUSED URL ": the login is refused: Authorization Violation"

/* An operator's server, and the credentials of a new user: an account, and options. */
#define OPERATOR "include operator.conf\njetstream { store_dir: /mnt/plain }"
#define CREDENTIALS "/mnt/node.creds"
#define USER(user)                                                                                 \
	"umask 077; tests/fixture/publish/credentials.py operator /mnt events plain-no_jetstream " \
	"strangers-unknown; tests/fixture/publish/credentials.py user /mnt " CREDENTIALS " " user
#define AS_USER "--create --credentials " CREDENTIALS
/* Why a server cannot be used, or has no stream: one line, with what to do. */
static const struct server {
	const char *name;
	const char *lines; /* of the server's configuration; NULL: there is no server */
	const char *url;   /* NULL: URL */
	const char *options;
	const char *words;
	const char *before; /* of the line before it; NULL: any */
	const char *setup;
} SERVERS[] = {
	{ "no_jetstream", "", .words = "stream EVENTS: these servers have no JetStream: enable it" },
	{ "no_right",
	  "jetstream { store_dir: /mnt/plain }\n"
	  "authorization { users: [ { user: u, password: p, permissions: { publish: gossip.> } } ] }",
	  .options = "--user u --password-file /mnt/password",
	  .words = "stream EVENTS: no answer within 5 s; the account may lack the right",
	  .before = "Permissions Violation for Publish to",
	  .setup = "umask 077; echo p >/mnt/password" },
	{ "unknown_host", .url = "nats://127.0.0.1:1,nats://nowhere.invalid:4222",
	  .words = "--server: the host nowhere.invalid is unknown" },
	{ "refused_port", .words = URL ": no connection: is nats-server running, and does it" },
	{ "port_of_http", "http: \"10.76.0.10:8222\"", "nats://10.76.0.10:8222",
	  .words = "this is no port of NATS clients, or the server hangs" },
	{ "no_authority_file", .options = "--tls-ca /mnt/none",
	  .words = "/mnt/none: No such file or directory" },
	{ "no_certificate_in_it", "", .options = "--tls-ca /mnt/plain.conf",
	  .words = "'/mnt/plain.conf': no certificate or crl found" },
	{ "server_without_tls", "", "tls://10.76.0.10:4222",
	  .words = "the server has no TLS: configure it there, or give a nats:// URL" },
	{ "unknown_authority", "tls { cert_file: /mnt/server.pem, key_file: /mnt/server.key }",
	  .words = "--tls-ca names the authorities that are trusted" },
	{ "certificate_wanted",
	  "tls { cert_file: /mnt/server.pem, key_file: /mnt/server.key, ca_file: /mnt/ca.pem, verify: true }",
	  .options = "--tls-ca /mnt/ca.pem",
	  .words = "if the server wants a certificate of this machine, give --tls-cert and --tls-key" },
	{ "password_of_others", .options = "--user u --password-file /mnt/password",
	  .words = "/mnt/password can be read or changed by others: chmod 600 it",
	  .before = "the login to 10.76.0.10 is not encrypted",
	  .setup = "echo p >/mnt/password; chmod 644 /mnt/password" },
	{ "full_disk", "jetstream { store_dir: /mnt/store }", .options = "--create",
	  .words = "the servers have no storage left: free their disks, or raise max_file_store",
	  .setup = "mkdir /mnt/store; mount -t tmpfs -o size=1m tmpfs /mnt/store; "
		   "head -c 1m /dev/zero >/mnt/store/filler || :" },
	{ "user_without_rights", OPERATOR, .options = AS_USER,
	  .words = "no answer within 5 s; the account may lack the right to ask for it",
	  .setup = USER("events 'publish=other.>'") },
	{ "account_without_jetstream", OPERATOR, .options = AS_USER,
	  .words = "stream EVENTS: cannot be looked up: JetStream not enabled for account",
	  .setup = USER("plain") },
	{ "user_of_an_unknown_account", OPERATOR, .options = AS_USER, .words = REFUSED,
	  .setup = USER("strangers") },
	{ "key_of_another_user", OPERATOR, .options = AS_USER, .words = REFUSED,
	  .setup = USER("events other_key") },
	{ "expired", OPERATOR, .options = AS_USER, .words = REFUSED,
	  .setup = USER("events expires=-60") },
	{ "no_credentials", .options = AS_USER, .words = CREDENTIALS ": No such file or directory" },
	{ "no_jwt", OPERATOR, .options = AS_USER,
	  .words = "no nkey user seed found in '" CREDENTIALS "'",
	  .setup = USER("events") "; echo hello >" CREDENTIALS },
	{ "no_key", OPERATOR, .options = AS_USER,
	  .words = "no nkey user seed found in '" CREDENTIALS "'",
	  .setup = USER("events") "; sed -i '4,$d' " CREDENTIALS },
};

TEST_ROWS(says_why, SERVERS)
{
	char options[128];

	if (row->setup)
		sh("%s", row->setup);
	if (row->lines && strstr(row->lines, "tls"))
		jetstream_make_certificates();
	if (row->lines) {
		sh("printf '%%b\n' 'listen: \"%s:4222\"\n%s' >/mnt/plain.conf", hub_address(0),
		   row->lines);
		process_await(hub_start(0, "plain", "nats-server -c /mnt/plain.conf"),
			      "Server is ready");
	}
	node_add(0, "--port 8001");
	snprintf(options, sizeof(options), "--check %s", row->options ?: "");
	node_publish_to(0, row->url ?: URL, options);
	assert_int_equal(node_end(0, 0), 1);
	process_await(node_publisher(0), row->words);
	if (row->before)
		process_await(node_publisher(0), row->before);
}

ROOT_MAIN(hub_setup, hub_teardown)
