// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The survey for programs. */
#include <arpa/inet.h>
#include <json-c/json.h>
#include <stdio.h>

#include "survey_print.h"

#define ADD(key, value) json_object_object_add(o, key, value)

static json_object *u64(uint64_t value)
{
	return json_object_new_uint64(value);
}

static json_object *text(const char *value)
{
	return json_object_new_string(value);
}

static json_object *json_duplicates(const struct survey_duplicates *d)
{
	json_object *o = json_object_new_object();

	ADD("packets", u64(d->packets));
	ADD("bytes", u64(d->bytes));
	ADD("median_ns", u64(d->median_ns));
	ADD("p99_ns", u64(d->p99_ns));
	ADD("greatest_ns", u64(d->greatest_ns));
	return o;
}

static json_object *json_fit(const struct survey_fit *f)
{
	static const char *const WHY[] = {
		[SURVEY_BEST] = "best",
		[SURVEY_FITS_FEW] = "fits_few",
		[SURVEY_FINDS_NONE] = "finds_none",
		[SURVEY_DIFFERS] = "differs",
		[SURVEY_SAME_SENDER] = "same_sender",
		[SURVEY_TOO_OLD] = "too_old",
		[SURVEY_FINDS_FEWER] = "finds_fewer",
		[SURVEY_LESS_SPECIFIC] = "less_specific",
	};
	json_object *o = json_object_new_object();

	ADD("profile", text(f->profile->stream.name));
	ADD("why", text(WHY[f->why]));
	ADD("packets", u64(f->packets));
	ADD("snapped", u64(f->snapped));
	ADD("ids", u64(f->ids));
	ADD("duplicates", json_duplicates(&f->duplicates));
	ADD("in_profile_window", u64(f->in_window));
	ADD("elsewhere", u64(f->elsewhere));
	ADD("other_interface", u64(f->other_iface));
	ADD("same_sender", u64(f->same_sender));
	ADD("differ", u64(f->differ));
	ADD("window_ns", u64(f->window_ns));
	return o;
}

static json_object *json_fits(const struct survey_fit *fits, uint32_t cnt)
{
	json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < cnt; i++)
		json_object_array_add(list, json_fit(&fits[i]));
	return list;
}

static json_object *json_addresses(const struct survey_destination *d)
{
	json_object *list = json_object_new_array();
	char address[INET6_ADDRSTRLEN];

	for (uint32_t i = 0; i < d->addresses_cnt; i++)
		json_object_array_add(list,
				      text(inet_ntop(d->ipv4 ? AF_INET : AF_INET6, d->addresses[i],
						     address, sizeof(address))));
	return list;
}

static json_object *json_destination(const struct survey_destination *d)
{
	static const char *const KINDS[] = { "udp", "tcp", "ip", "ethernet" };
	json_object *o = json_object_new_object();
	char name[SURVEY_NAME_MAX];

	ADD("name", text(survey_name(d, name)));
	ADD("kind", text(KINDS[d->kind]));
	ADD("number", u64(d->number));
	ADD("multicast", json_object_new_boolean(d->multicast));
	ADD("addresses", json_addresses(d));
	ADD("more_addresses", json_object_new_boolean(d->more_addresses));
	ADD("packets", u64(d->packets));
	ADD("bytes", u64(d->bytes));
	ADD("identical", json_duplicates(&d->identical));
	ADD("profiles", json_fits(d->fits, d->fits_cnt));
	ADD("best", d->best ? text(d->best->profile->stream.name) : NULL);
	ADD("feed", d->feed ? u64(d->feed) : NULL);
	return o;
}

static json_object *json_others(const struct survey_result *r)
{
	json_object *o = json_object_new_object();

	ADD("destinations", u64(r->others_cnt));
	ADD("packets", u64(r->others.packets));
	ADD("bytes", u64(r->others.bytes));
	ADD("identical", u64(r->others.identical.packets));
	return o;
}

static json_object *json_advice(const struct survey_result *r)
{
	static const char *const ADVICE[] = { "nothing", "mirror", "streams" };
	char options[SURVEY_OPTIONS_MAX], load[SURVEY_OPTIONS_MAX + 80];
	json_object *o = json_object_new_object();
	bool some = r->advice != SURVEY_NOTHING;

	survey_options(r, options);
	snprintf(load, sizeof(load), "xdp-dedup load IFNAME%s %s --action count",
		 r->several_ifaces ? " IFNAME2" : "", options);
	ADD("kind", text(ADVICE[r->advice]));
	ADD("drops", u64(r->drops));
	ADD("drop_bytes", u64(r->drop_bytes));
	ADD("window_ns", u64(r->spec.window_ns));
	ADD("capacity", u64(r->spec.capacity));
	ADD("window_ids", u64(r->window_ids));
	ADD("several_interfaces", json_object_new_boolean(r->several_ifaces));
	ADD("other_hosts", json_object_new_boolean(r->other_hosts));
	ADD("left_out", u64(r->left_out));
	ADD("options", some ? text(options) : NULL);
	ADD("load", some ? text(load) : NULL);
	return o;
}

void survey_print_json(const char *path, const struct capture *c, const struct survey_result *r,
		       bool complete)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	for (uint32_t i = 0; i < r->destinations_cnt; i++)
		json_object_array_add(list, json_destination(&r->destinations[i]));
	ADD("file", text(path));
	ADD("complete", json_object_new_boolean(complete));
	ADD("packets", u64(r->packets));
	ADD("bytes", u64(r->bytes));
	ADD("outgoing", u64(r->outgoing));
	ADD("snapped", u64(r->snapped));
	ADD("foreign", u64(capture_foreign_cnt(c)));
	ADD("first_ns", u64(r->first_ns));
	ADD("last_ns", u64(r->last_ns));
	ADD("known_since_ns", u64(r->known_since_ns));
	ADD("interfaces", u64(r->ifaces_cnt));
	ADD("advice", json_advice(r));
	ADD("destinations", list);
	ADD("others", json_others(r));
	ADD("all_traffic", json_fits(r->all, r->all_cnt));
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(o);
}
