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

/* What --check says of a stream with this duplicate window. */
static const struct window {
	const char *name;
	uint32_t duplicates_s;
	const char *options;
	const char *words; /* NULL: nothing about retries */
} WINDOWS[] = {
	{ "window_as_long_as_retries", 32, "", NULL },
	{ "window_shorter_than_retries", 31, "",
	  "stream EVENTS knows ids for 31s, and the retries of an event take longer: the event may "
	  "be there twice; make the stream's duplicate window at least 32s" },
	{ "window_shorter_than_one_retry", 30, "--retries 1 --ack-timeout 30s",
	  "make the stream's duplicate window at least 31s" },
	{ "window_without_retries", 30, "--retries 0 --ack-timeout 1h", NULL },
};

static void compares_window_with_retries(void **state)
{
	const struct window *w = *state;
	char options[128];

	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(w->duplicates_s, 0);
	node_add(0, "--port 8001");
	snprintf(options, sizeof(options), "--check %s", w->options);
	node_publish(0, options);
	assert_int_equal(node_end(0, 0), 0);
	process_await(node_publisher(0), "connected");
	if (w->words)
		process_await(node_publisher(0), w->words);
	else
		assert_false(process_has_said(node_publisher(0), "retries"));
}

/* What may be lost, by how the filter learns. */
static const struct learning {
	const char *name, *load, *words; /* NULL: nothing */
} LEARNING[] = {
	{ "learn_kernel", "--port 8001", "xdp-dedup set node0 --learn app lets copies" },
	{ "learn_numbers", "--profile moldudp64:8001@10.78.0.2",
	  "xdp-dedup lost node0 --want lets the next copies" },
	{ "learn_app", "--port 8001 --learn app", NULL },
};

static void says_what_may_be_lost(void **state)
{
	const struct learning *l = *state;

	jetstream_start(&(struct jetstream_plan){ 0 });
	node_add(0, l->load);
	node_publish(0, "--create --check");
	assert_int_equal(node_end(0, 0), 0);
	if (l->words)
		process_await(node_publisher(0), l->words);
	else
		assert_false(process_has_said(node_publisher(0), "is lost with its later copies"));
}

#define URL "nats://10.76.0.10:4222"
#define CERTIFICATES                                                                               \
	"cd /mnt && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem "         \
	"-subj /CN=ca -days 9 2>/dev/null && "                                                     \
	"openssl req -newkey rsa:2048 -nodes -keyout s.key -out s.csr -subj /CN=s 2>/dev/null && " \
	"echo subjectAltName=IP:10.76.0.10 >ext && openssl x509 -req -in s.csr -CA ca.pem "        \
	"-CAkey ca.key -CAcreateserial -days 9 -extfile ext -out s.pem 2>/dev/null"

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
	{ "unknown_authority", "tls { cert_file: /mnt/s.pem, key_file: /mnt/s.key }",
	  .words = "--tls-ca names the authorities that are trusted", .setup = CERTIFICATES },
	{ "certificate_wanted",
	  "tls { cert_file: /mnt/s.pem, key_file: /mnt/s.key, ca_file: /mnt/ca.pem, verify: true }",
	  .options = "--tls-ca /mnt/ca.pem",
	  .words = "if the server wants a certificate of this machine, give --tls-cert and --tls-key",
	  .setup = CERTIFICATES },
	{ "password_of_others", .options = "--user u --password-file /mnt/password",
	  .words = "/mnt/password can be read or changed by others: chmod 600 it",
	  .before = "the login to 10.76.0.10 is not encrypted",
	  .setup = "echo p >/mnt/password; chmod 644 /mnt/password" },
	{ "full_disk", "jetstream { store_dir: /mnt/store }", .options = "--create",
	  .words = "the servers have no storage left: free their disks, or raise max_file_store",
	  .setup = "mkdir /mnt/store; mount -t tmpfs -o size=1m tmpfs /mnt/store; "
		   "head -c 1m /dev/zero >/mnt/store/filler || :" },
};

static void says_why(void **state)
{
	const struct server *row = *state;
	char options[128];

	if (row->setup)
		sh("%s", row->setup);
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

int main(void)
{
	add_rows(WINDOWS, compares_window_with_retries, hub_setup, hub_teardown);
	add_rows(LEARNING, says_what_may_be_lost, hub_setup, hub_teardown);
	add_rows(SERVERS, says_why, hub_setup, hub_teardown);
	add_own_tests(hub_setup, hub_teardown);
	return run_added_tests("publish_check");
}
