// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The survey as JSON, for programs. */
#include <arpa/inet.h>
#include <stdio.h>

#include "json_out.h"
#include "replay_print.h"

static json_object *json_duplicates(const struct survey_duplicates *d)
{
	json_object *o = json_object_new_object();

	ADD("packets", json_u64(d->packets));
	ADD("bytes", json_u64(d->bytes));
	ADD("median_ns", json_u64(d->median_ns));
	ADD("p99_ns", json_u64(d->p99_ns));
	ADD("greatest_ns", json_u64(d->greatest_ns));
	return o;
}

static json_object *json_fit(const struct survey_fit *f)
{
	json_object *o = json_object_new_object();

	ADD("profile", json_text(f->profile->stream.name));
	ADD("why", json_text(SURVEY_REASONS[f->why].key));
	ADD("packets", json_u64(f->packets));
	ADD("snapped", json_u64(f->snapped));
	ADD("ids", json_u64(f->ids));
	ADD("duplicates", json_duplicates(&f->duplicates));
	ADD("in_profile_window", json_u64(f->in_window));
	ADD("elsewhere", json_u64(f->elsewhere));
	ADD("other_interface", json_u64(f->other_iface));
	ADD("same_sender", json_u64(f->same_sender));
	ADD("other_host", json_u64(f->other_host));
	ADD("flood", json_u64(f->flood));
	ADD("copies", json_u64(f->copies));
	ADD("differ", json_u64(f->differ));
	ADD("window_ns", json_u64(f->window_ns));
	return o;
}

static json_object *json_fits(const struct survey_fit *fits, uint32_t cnt)
{
	return JSON_LIST(i, cnt, json_fit(&fits[i]));
}

static json_object *json_addresses(const struct survey_destination *d)
{
	char address[INET6_ADDRSTRLEN];

	return JSON_LIST(i, d->addresses_cnt,
			 inet_ntop(d->ipv4 ? AF_INET : AF_INET6, d->addresses[i], address,
				   sizeof(address)));
}

static json_object *json_destination(const struct survey_destination *d)
{
	static const char *const KINDS[] = { "udp", "tcp", "ip", "ethernet" };
	json_object *o = json_object_new_object();
	char name[SURVEY_NAME_MAX];

	ADD("name", json_text(survey_name(d, name)));
	ADD("kind", json_text(KINDS[d->kind]));
	ADD("number", json_u64(d->number));
	ADD("multicast", json_bool(d->multicast));
	ADD("addresses", json_addresses(d));
	ADD("more_addresses", json_bool(d->more_addresses));
	ADD("packets", json_u64(d->packets));
	ADD("bytes", json_u64(d->bytes));
	ADD("identical", json_duplicates(&d->identical));
	ADD("profiles", json_fits(d->fits, d->fits_cnt));
	ADD("best", json_text(d->best ? d->best->profile->stream.name : NULL));
	ADD("feed", d->feed ? json_u64(d->feed) : NULL);
	return o;
}

static json_object *json_others(const struct survey_result *r)
{
	json_object *o = json_object_new_object();

	ADD("destinations", json_u64(r->others_cnt));
	ADD("packets", json_u64(r->others.packets));
	ADD("bytes", json_u64(r->others.bytes));
	ADD("identical", json_u64(r->others.identical.packets));
	return o;
}

/* Makes the list of senders; null if they are not known. */
static json_object *json_senders(const struct capture *c, const struct survey_paths *p)
{
	struct senders_view senders = replay_senders(c, &p->cfg, &p->result, UINT32_MAX);

	return p->known ? senders_json(&senders) : NULL;
}

/* Adds the filter's options and effects to the object `o`. */
static void add_filter(json_object *o, const struct capture *c, const struct survey_paths *p)
{
	const struct survey_filter *f = p->filter;
	char options[SURVEY_OPTIONS_MAX], load[SURVEY_OPTIONS_MAX + 80];
	bool some = f->spec.streams_cnt;

	survey_options(f, options);
	snprintf(load, sizeof(load), "xdp-dedup load IFNAME%s %s --action count",
		 f->several_ifaces ? " IFNAME2" : "", options);
	ADD("drops", json_u64(f->drops));
	ADD("drop_bytes", json_u64(f->drop_bytes));
	ADD("window_ns", json_u64(f->spec.window_ns));
	ADD("capacity", json_u64(f->spec.capacity));
	ADD("window_ids", json_u64(f->window_ids));
	ADD("several_interfaces", json_bool(f->several_ifaces));
	ADD("other_hosts", json_bool(f->other_hosts));
	ADD("options", json_text(some ? options : NULL));
	ADD("load", json_text(some ? load : NULL));
	ADD("paths", json_u64(f->spec.paths));
	ADD("senders", json_senders(c, p));
}

static json_object *json_advice(const struct survey_report *report)
{
	const struct survey_result *r = report->r;
	static const char *const KINDS[] = { "nothing", "mirror", "streams" };
	json_object *o = json_object_new_object(), *rest = NULL;

	if (r->rest.spec.streams_cnt) {
		rest = json_object_new_object();
		add_filter(rest, report->c, &report->rest);
	}
	ADD("kind", json_text(KINDS[r->advice]));
	add_filter(o, report->c, &report->filter);
	ADD("left_out", json_u64(r->left_out));
	ADD("rest", rest);
	return o;
}

json_object *survey_json(const struct survey_report *report)
{
	const struct survey_result *r = report->r;
	json_object *o = json_object_new_object();

	ADD("file", json_text(report->path));
	ADD("complete", json_bool(report->complete));
	ADD("packets", json_u64(r->packets));
	ADD("bytes", json_u64(r->bytes));
	ADD("outgoing", json_u64(r->outgoing));
	ADD("snapped", json_u64(r->snapped));
	ADD("foreign", json_u64(capture_foreign_cnt(report->c)));
	ADD("first_ns", json_u64(r->first_ns));
	ADD("last_ns", json_u64(r->last_ns));
	ADD("known_since_ns", json_u64(r->known_since_ns));
	ADD("interfaces", json_u64(r->ifaces_cnt));
	ADD("tunnels", survey_json_tunnels(r));
	ADD("timeline", replay_json_timeline(&r->timeline));
	ADD("ages", replay_json_ages(&r->ages));
	ADD("sources", replay_json_sources(r->sources));
	ADD("advice", json_advice(report));
	ADD("destinations", JSON_LIST(i, r->destinations_cnt, json_destination(&r->destinations[i])));
	ADD("others", json_others(r));
	ADD("all_traffic", json_fits(r->all, r->all_cnt));
	return o;
}
