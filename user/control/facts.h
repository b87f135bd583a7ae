/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The facts of a filter: one row each. From the rows come `status --json`, `watch --json`, the
 * metrics, and the table of keys in the manual (user/man/keys).
 *
 * FACT(key, help, value)             a key of JSON
 * GAUGE(key, metric, help, value)    also a metric
 * METRIC(metric, help, value)        only a metric, a gauge
 *
 * The value is an expression. Its type is the type in JSON. Its variables stand above each list.
 * Lists and objects are made where FACT is expanded, in user/cli. A key in `_ns` is a metric in
 * `_seconds`. Null: not known, or none. Keys and metrics are public: append, never rename.
 */
#pragma once

#define NO_FACT(...) /* rows that are left out */

/* Of a filter: s, its struct status; c, its configuration. */
#define STATUS_FACTS(FACT, GAUGE, METRIC)  \
	STATUS_PACKETS(FACT)               \
	STATUS_MEMORY(FACT, GAUGE, METRIC) \
	STATUS_FILL_COUNTDOWN(FACT)        \
	STATUS_FILL_GENERATIONS(FACT)      \
	STATUS_FILL_FLAT(FACT)             \
	STATUS_ESTIMATES(FACT, GAUGE)

#define STATUS_PACKETS(FACT)                                                                        \
	FACT(name, "The filter's name.", s->filter.name)                                            \
	FACT(comment, "What --comment says.", JSON_IF(*c->asked.comment, c->asked.comment))         \
	FACT(interfaces, "Where it runs.", JSON_LIST(i, s->ifaces_cnt, json_iface(&s->ifaces[i])))  \
	FACT(mode, "Their mode; or `mixed`, or `none`.", s->mode)                                   \
	FACT(ports, "UDP ports: ranges.", json_ports(c->policy.ports, c->policy.ports_cnt))         \
	FACT(streams, "What it filters.", JSON_LIST(n, c->policy.streams_cnt, json_stream(s, n)))   \
	FACT(action, "`drop` or `count`, for duplicates now.", status_drops(s) ? "drop" : "count")  \
	FACT(drop_for_ns, "With --for: for how long.", JSON_NONZERO(c->asked.drop_ns))              \
	FACT(drop_left_ns, "With --for: how long yet.", JSON_IF(c->asked.drop_ns, s->drop_left_ns)) \
	FACT(counting_ns, "With --for: how long ago that ended.", JSON_NONZERO(s->counting_ns))     \
	FACT(learn, "Who learns ids: `kernel`, or `app`.", c->asked.learn_app ? "app" : "kernel")   \
	FACT(ihave, "`drop` or `pass`: known IHAVEs.", c->asked.ihave_pass ? "pass" : "drop")       \
	FACT(layout, "`blocked`, `flat` or `countdown`.", s->layout->name)                          \
	FACT(hash, "The hash of ids.", hash_name(c->memory.hash))                                   \
	FACT(sampler, "The process that samples packets.", json_sampler(&s->sampler))               \
	FACT(sockets, "Of queues that have, or had, an AF_XDP socket.",                             \
	     JSON_IF(s->sockets,                                                                    \
		     JSON_LIST(i, s->sockets->cnt, json_socket(s, &s->sockets->list[i]))))          \
	FACT(delivery_bytes, "Memory of the maps of --deliver.", plan_delivery_bytes(c))            \
	FACT(forwarded, "Whether it looks at other hosts' frames.", (bool)c->policy.forwarded)      \
	FACT(to, "GSP/1 alone: the only destinations.",                                             \
	     json_to(c->policy.to, c->policy.streams[0].to4_cnt,                                    \
		     dedup_is_gsp(c) ? c->policy.to_cnt : 0))                                       \
	FACT(tunnels, "Tunnels that it looks into.", FORMAT_TUNNELS(&c->tunnels, c->tunnels.kinds)) \
	FACT(outer_to, "The only destinations of tunnels.",                                         \
	     json_to(c->asked.outer_to, c->asked.outer_to4_cnt, c->asked.outer_to_cnt))             \
	FACT(vlans, "The only VLANs: ranges; 0: untagged frames.",                                  \
	     json_ports(c->asked.vlans, c->asked.vlans_cnt))                                        \
	FACT(macs_changed, "Interfaces whose MACs need a `refresh`.",                               \
	     JSON_LIST(i, s->faults.stale_cnt, s->faults.stale[i]))                                 \
	FACT(same_index, "An interface that takes packets for another one's AF_XDP sockets.",       \
	     JSON_IF(*s->same_index.local, s->same_index.local))                                    \
	FACT(stacked, "Two interfaces, one on top of the other.", json_pair(&s->faults.stacked))    \
	FACT(merged, "Two: the lower one merges UDP packets.", json_pair(&s->faults.merging))       \
	FACT(sources, "Numbered streams: the most sources.", c->sources.sources)                    \
	FACT(source_bytes, "Memory of each.", plan_source_bytes(c))                                 \
	FACT(sources_used, "Sources that are known now.", numbers_sources(&s->filter))              \
	FACT(paths, "Paths of a source that have an account; 0: none has.", c->sources.paths)       \
	FACT(senders, "With `paths`: the senders of numbered streams.", json_senders(s))            \
	FACT(behind, "What is lost behind the filter.", behind_json(&s->behind))                    \
	FACT(blocks, "Blocks of the memory, of 64 bytes.", c->memory.blocks)

#define STATUS_MEMORY(FACT, GAUGE, METRIC)                                                           \
	GAUGE(capacity, capacity_ids, "Ids in a window for which the filter is made.",               \
	      c->memory.capacity)                                                                    \
	GAUGE(fpr, target_fpr_ratio,                                                                 \
	      "Highest probability that a fresh id is taken for a known one.", plan_fpr(c))          \
	GAUGE(window_ns, window_seconds,                                                             \
	      "How long ids are remembered, at least, within the capacity.", c->memory.window_ns)    \
	FACT(filter_bytes, "Memory of ids and sources.", plan_bytes(c))                              \
	METRIC(memory_bytes, "Memory that the filter takes in the kernel.",                          \
	       plan_bytes(c) + plan_delivery_bytes(c))                                               \
	METRIC(dropping, "Whether duplicates are dropped now.", status_drops(s))                     \
	METRIC(behind_socket_drops,                                                                  \
	       "Datagrams lost in full buffers of the sockets that are open on the filter's ports.", \
	       s->behind.sockets_known ? s->behind.dropped : NAN)                                    \
	METRIC(attached_interfaces,                                                                  \
	       "Interfaces that run the filter, in whatever network namespace.", attached_cnt(s))    \
	GAUGE(stopped, hand_stopped, "Whether the hand has stopped, so that every packet passes.",   \
	      s->stopped)                                                                            \
	GAUGE(hand_position, hand_position_ratio, "How far the hand is in its turn.", s->hand)       \
	GAUGE(hand_turns, hand_turns, "Turns that the hand has completed.", s->turns)                \
	GAUGE(oldest_id_ns, oldest_id_age_seconds,                                                   \
	      "Age of the oldest id that may still be known, at most.", s->oldest_ns)                \
	GAUGE(late_max_ns, hand_lag_max_seconds,                                                     \
	      "The longest time that a place was due before the hand passed it.",                    \
	      READ_ONCE(s->filter.state->late_max_ns))                                               \
	FACT(fill, "Part of the bits that are set, 0 to 1.", status_mean_fill(s))

#define STATUS_FILL_COUNTDOWN(FACT)                                                                 \
	FACT(cells_set, "countdown: cells that are not 0.", s->fill.set_current)                    \
	FACT(approx_count, "countdown: ids learned and not expired.", s->approx_count)              \
	FACT(life_expectancy_histogram, "countdown: cells by the countdowns that they have to go.", \
	     JSON_IF(s->histogram, JSON_LIST(i, c->memory.places + 1, s->histogram[i])))

#define STATUS_FILL_GENERATIONS(FACT)                                                  \
	FACT(fill_current, "`fill` of the ids of this turn.", s->fill.current)         \
	FACT(fill_previous, "`fill` of the ids of the turn before.", s->fill.previous) \
	FACT(set_bits, "Bits that are set, of this turn.", s->fill.set_current)        \
	FACT(set_bits_previous, "Bits that are set, of the turn before.", s->fill.set_previous)

#define STATUS_FILL_FLAT(FACT)                                    \
	FACT(occupancy, "flat: `fill_current`.", s->fill.current) \
	FACT(occupancy_previous, "flat: `fill_previous`.", s->fill.previous)

#define STATUS_ESTIMATES(FACT, GAUGE)                                                           \
	FACT(fill_sampled, "Whether only a part was read.", (bool)(s->fill.read_part < 1))      \
	GAUGE(fill_read_part, fill_read_ratio,                                                  \
	      "Part of the memory from which estimates are made.", s->fill.read_part)           \
	GAUGE(ids_estimate, estimated_ids, "Ids in the filter, estimated from its bits.",       \
	      s->fill.ids)                                                                      \
	GAUGE(ids_estimate_error, estimated_ids_error,                                          \
	      "Standard error of estimated_ids, if only a sample was read.", s->fill.ids_error) \
	GAUGE(fpr_estimate, estimated_fpr_ratio,                                                \
	      "This probability now, estimated from the bits, with the predecessor's.", s->fpr) \
	FACT(predecessor, "The memory of before the last change.", json_predecessor(s))         \
	FACT(format, "The format of what is pinned.", c->format)                                \
	GAUGE(exchanging, change_unfinished,                                                    \
	      "Whether a change of the filter has begun and not ended.", s->exchanging)         \
	FACT(advice, "What is wrong, and what to change.", advice_json(advice, advice_cnt))     \
	FACT(bytes_kept_away, "Bytes of packets that were dropped.", s->counters.dropped_bytes) \
	FACT(counters, "Packets of all streams: see COUNTERS.", json_counters(&s->counters))

/* `size --json`, before and behind the parameters of the layout: c; `rate`, the expected one. */
#define SIZE_FACTS(FACT)                                                                     \
	FACT(layout, "`blocked`, `flat` or `countdown`.", layout_of(c->memory.layout)->name) \
	FACT(hash, "The hash of ids.", hash_name(c->memory.hash))                            \
	FACT(capacity, "As in `status --json`.", c->memory.capacity)                         \
	FACT(fpr, "As in `status --json`.", plan_fpr(c))                                     \
	FACT(window_ns, "As in `status --json`.", c->memory.window_ns)
#define SIZE_BYTES(FACT)                                                   \
	FACT(sources, "As in `status --json`.", c->sources.sources)        \
	FACT(source_bytes, "As in `status --json`.", plan_source_bytes(c)) \
	FACT(filter_bytes, "As in `status --json`.", plan_bytes(c))        \
	FACT(bytes_per_id, "Memory of ids, for each of `capacity`.",       \
	     hashed_bytes(c) / c->memory.capacity)                         \
	FACT(fpr_expected, "The probability with `capacity` ids in even traffic.", rate)

/* Rates between two readings: struct watch_rates, and its keys of `watch --json`. */
#define WATCH_RATES(X)                                                                            \
	X(packets, packets_per_s, "Packets that came.")                                           \
	X(fresh, new_per_s, "`new` and `unlearned`.")                                             \
	X(duplicates, duplicates_per_s, "Duplicates, also if they are only counted.")             \
	X(duplicate_bytes, duplicate_bytes_per_s, "Bytes of duplicates.")                         \
	X(share, duplicate_share, "Part of the packets not ignored that are duplicates, 0 to 1.") \
	X(copies, copies, "Copies an event whose first copy came: at least 1; null: none came.")  \
	X(dropped, dropped_per_s, "Packets that were dropped.")                                   \
	X(dropped_bytes, dropped_bytes_per_s, "Bytes of packets that were dropped.")              \
	X(delivered, delivered_per_s, "Fresh packets that went to AF_XDP sockets.")               \
	X(undelivered, undelivered_per_s, "Fresh packets that went to the stack instead.")

/* `watch --json`, before and behind the rates: r, a struct watched; s and c as above. */
#define WATCH_FACTS(FACT)                                                                             \
	FACT(time_ns, "When it was read, since 1970.", clock_ns(CLOCK_REALTIME))                      \
	FACT(name, "The filter's name.", r->name)                                                     \
	FACT(seconds, "Time since the reading before; 0: the rates are not known.", r->watch.seconds) \
	FACT(action, "As in `status --json`.", status_drops(s) ? "drop" : "count")
#define WATCHED_FACTS(FACT, GAUGE, METRIC)                                                           \
	FACT(bytes_kept_away, "As in `status --json`.", s->counters.dropped_bytes)                   \
	FACT(fill, "As in `status --json`.", status_mean_fill(s))                                    \
	FACT(ids_estimate, "As in `status --json`.", s->fill.ids)                                    \
	FACT(fpr_estimate, "As in `status --json`.", s->fpr)                                         \
	FACT(window_ns, "As in `status --json`.", c->memory.window_ns)                               \
	GAUGE(remembered_ns, effective_window_seconds,                                               \
	      "How long ids are remembered, at least, at the present load.", monitor_window_ns(r))   \
	METRIC(hand_lag_seconds, "How long the place at the hand has been due.", r->hand_lag_ns)     \
	METRIC(fill_age_seconds, "Age of the estimates and of the state of interfaces.", r->fill_ns) \
	FACT(stopped, "As in `status --json`.", s->stopped)                                          \
	FACT(interfaces, "Where it runs.", JSON_LIST(i, s->ifaces_cnt, json_iface_rate(r, i)))       \
	FACT(streams, "With their rates.",                                                           \
	     JSON_LIST(i, r->watch.last.streams_cnt, json_stream_rates(r, i)))                       \
	FACT(cpus, "Those that have had packets, with their rates.", json_cpus(r))                   \
	FACT(senders, "At most 64.", watch_senders_json(r))                                          \
	FACT(behind, "As in `status --json`.", behind_json(&s->behind))                              \
	FACT(advice, "What is wrong now.", advice_json(r->advice, r->advice_cnt))
#define WATCH_STREAM_FACTS(FACT) FACT(name, "The stream's name.", c->policy.streams[n].name)
#define WATCH_CPU_FACTS(FACT) FACT(cpu, "The CPU's number.", cpu)
#define WATCH_IFACE_FACTS(FACT)                                     \
	FACT(kernel_rx_packets_per_s, "As its driver counts them.", \
	     JSON_IF(r->watch.ifaces[n] >= 0, r->watch.ifaces[n]))
#define WATCH_SENDER_FACTS(FACT) \
	FACT(messages_per_s, "Messages that came.", JSON_IF(s->has_rates, s->messages))
#define WATCH_PATH_FACTS(FACT)                                                          \
	FACT(packets_per_s, "Packets that came.", JSON_IF(s->has_rates, r->packets))    \
	FACT(received_per_s, "Messages that came.", JSON_IF(s->has_rates, r->received)) \
	FACT(first_share, "Its part of the messages that came first.",                  \
	     JSON_IF(s->has_rates && r->first >= 0, r->first))                          \
	FACT(lost_since, "Messages lost since watch began.", watched_lost_since(s, path))

/* Of what is lost behind the filter: b, a struct status_behind; name of a STACK_LOSSES. */
#define BEHIND_FACTS(FACT)                                                                \
	FACT(host, "Packets of any port that the IP stack has discarded since the load.", \
	     JSON_IF(b->is_known, json_losses(b)))                                        \
	FACT(sockets, "UDP sockets on the filter's ports.",                               \
	     JSON_IF(b->sockets_known, JSON_LIST(i, b->sockets_cnt, json_receiver(&b->sockets[i]))))
#define LOSS_FACTS(FACT)                                                                   \
	FACT(reverse_path, "By the reverse path filter.", b->lost[STACK_reverse_path])     \
	FACT(bad_checksum, "UDP checksums that are wrong.", b->lost[STACK_bad_checksum])   \
	FACT(no_socket, "No socket is open on the port.", b->lost[STACK_no_socket])        \
	FACT(no_member, "No socket has joined the group there.", b->lost[STACK_no_member]) \
	FACT(no_room, "A socket's buffer was full.", b->lost[STACK_no_room])
#define RECEIVER_FACTS(FACT)                                                       \
	FACT(port, "The UDP port.", k->port)                                       \
	FACT(program, "The program, and its process.", STACK_PROGRAM_OF(k->inode)) \
	FACT(buffer_bytes, "SO_RCVBUF.", k->buffer)                                \
	FACT(dropped, "Datagrams lost in its full buffer.", k->dropped)

/* Of an interface: f, its struct status_iface. The first list: with watch, too. */
#define IFACE_FACTS(FACT)                                                          \
	FACT(name, "The interface's name.", f->name)                               \
	FACT(state, "`attached`, `unknown`, `detached`, `gone` or `other netns`.", \
	     iface_state_name(f->state))                                           \
	FACT(mode, "`native`, `skb` or `hw`.",                                     \
	     f->state == IFACE_ATTACHED ? attach_mode_name(f->mode) : NULL)
#define IFACE_LINK_FACTS(FACT)                                                \
	FACT(shared, "Whether other programs may run there, too.", f->shared) \
	FACT(link_id, "Of the interface's bpf_link.", JSON_NONZERO(f->link_id))

/* Of stream n: st, its struct dedup_stream; s and c as of the filter. */
#define STREAM_FACTS(FACT)                                                                    \
	FACT(name, "The stream's name.", st->name)                                            \
	FACT(layer, "Where it begins: `udp`, `ip`, `ethernet`.", PROFILE_LAYERS[st->layer])   \
	FACT(decoder, "`gsp` or `fields`.", st->decoder == DEDUP_GSP ? "gsp" : "fields")      \
	FACT(ethertype, "Of frames of no UDP or IP; 0: any.", ntohs(st->ethertype))           \
	FACT(ports, "UDP ports: ranges.",                                                     \
	     json_ports(&c->policy.ports[st->ports_first], st->ports_cnt))                    \
	FACT(to, "The only destinations.",                                                    \
	     json_to(&c->policy.to[st->to_first], st->to4_cnt, st->to_cnt))                   \
	FACT(tunnels, "Tunnels that it looks into.",                                          \
	     FORMAT_TUNNELS(&c->tunnels, c->policy.opens[n]))                                 \
	FACT(forwarded, "Whether frames for other hosts are looked at.", (bool)st->forwarded) \
	FACT(realm, "Streams of one realm drop copies of each other's packets.", st->realm)   \
	FACT(id_bytes, "Bytes of the packet that are the id.", stream_fields_bytes(st))       \
	FACT(digest, "`none`, `payload`, `packet` or `frame`.", DIGESTS[st->digest])          \
	FACT(sequence, "Of a numbered stream.", json_sequence(&c->numbered[n]))               \
	FACT(deliver, "`xsk` or `stack`.", c->policy.deliver >> n & 1 ? "xsk" : "stack")      \
	FACT(counters, "The stream's counters.", json_counters(&s->streams[n]))

/* Of a numbered stream: numbered, its struct dedup_numbered. */
#define SEQUENCE_FACTS(FACT)                                                                 \
	FACT(bits, "Bits of a number.", numbered->width)                                     \
	FACT(history, "Numbers remembered of a source.", dedup_history(&numbered->recovery)) \
	FACT(reset_ns, "After such a silence a source may begin anew.", numbered->reset_ns)  \
	FACT(counts_messages, "Whether a packet may have several.", (bool)numbered->count.bytes)

/* Of two interfaces: pair. */
#define PAIR_FACTS(FACT)                                  \
	FACT(upper, "The interface on top.", pair->upper) \
	FACT(lower, "The interface below.", pair->lower)

/* Of the process that samples, or has left its ring buffer: p. */
#define SAMPLER_FACTS(FACT)                                                          \
	FACT(process, "Its process id.", p->pid)                                     \
	FACT(listens, "Whether it samples now.", p->listens)                         \
	FACT(rate, "Most packets a second.", JSON_IF(p->listens, p->request.rate))   \
	FACT(snap_bytes, "Bytes of a packet.", JSON_IF(p->listens, p->request.snap)) \
	FACT(ring_bytes, "Memory of its ring buffer.", SAMPLING_RING_BYTES)

/* Of a socket: k, its struct socket_seen; name of its interface, or NULL. */
#define SOCKET_FACTS(FACT, GAUGE)                                                                     \
	FACT(interface, "The queue's interface.", name)                                               \
	FACT(ifindex, "The interface's index.", k->queue.ifindex)                                     \
	FACT(queue, "The receive queue.", k->queue.queue)                                             \
	FACT(process, "Whose socket it is, or was.", JSON_NONZERO(k->pid))                            \
	GAUGE(reads, read, "Whether a process reads the queue's AF_XDP socket.", k->is_read)          \
	GAUGE(zerocopy, zerocopy, "Whether the driver writes into the socket's memory.", k->zerocopy) \
	GAUGE(frames_taken, frames_taken, "Frames of packets that were not given back.",              \
	      k->frames_taken)                                                                        \
	GAUGE(frames_free, frames_free, "Frames of the socket that packets may still take.",          \
	      k->frames_free)                                                                         \
	GAUGE(unreturned, unreturned, "Packets that were not given back.", k->unreturned)

/* Of a predecessor: b, its struct status_predecessor; c, its configuration. */
#define PREDECESSOR_FACTS(FACT, GAUGE)                                                             \
	FACT(layout, "The predecessor's layout.", layout_of(c->memory.layout)->name)               \
	GAUGE(capacity, capacity_ids, "Ids in a window for which the predecessor was made.",       \
	      c->memory.capacity)                                                                  \
	GAUGE(fpr, target_fpr_ratio, "The predecessor's highest part of the probability.",         \
	      plan_fpr(c))                                                                         \
	GAUGE(window_ns, window_seconds, "The predecessor's window.", c->memory.window_ns)         \
	GAUGE(filter_bytes, memory_bytes, "Memory that the predecessor takes in the kernel.",      \
	      plan_bytes(c))                                                                       \
	GAUGE(learns, learns, "Whether the predecessor still learns ids.", b->leads)               \
	GAUGE(asked, asked, "Whether packets look ids up in the predecessor.", b->asked)           \
	FACT(forgotten, "Whether it has forgotten every id.", b->forgotten)                        \
	GAUGE(left_ns, left_seconds, "Longest time until the predecessor has forgotten every id.", \
	      b->left_ns)                                                                          \
	GAUGE(ids_estimate, estimated_ids, "Ids in the predecessor, estimated from its bits.",     \
	      b->fill.ids)                                                                         \
	GAUGE(fpr_estimate, estimated_fpr_ratio, "The predecessor's part of the probability now.", \
	      b->fill.fpr)

/* Of advice: a, its struct advice. */
#define ADVICE_FACTS(FACT)                         \
	FACT(key, "Stable, for programs.", a->key) \
	FACT(text, "For people.", a->text)

/* Of a sender: f, its struct source_figures; v, a struct senders_view. Of senders and paths each
 * GAUGE(key, help, value) and COUNTER is a metric of the key's name.
 */
#define SENDER_FACTS(FACT, GAUGE, COUNTER)                                                            \
	FACT(stream, "The first stream of its realm.", v->config->policy.streams[f->stream].name)     \
	FACT(source, "The bytes that name the sender, in hex.",                                       \
	     sender_hex(v->config, f, (char[SENDER_TEXT_MAX]){ 0 }))                                  \
	COUNTER(messages, "Messages that the sender has sent since its first one came.", f->messages) \
	COUNTER(lost, "Messages that no path had brought when they left the history.", f->lost)       \
	GAUGE(missing, "Messages in the history that no path has brought.", f->missing)               \
	COUNTER(restarts, "How often the sender's numbers began anew elsewhere.", f->restarts)        \
	COUNTER(jumped, "Messages between a silence's begin and its end, perhaps lost.", f->jumped)   \
	FACT(counts_for_ns, "Since when the account counts.", v->now_ns - f->since_ns)                \
	COUNTER(other_packets, "Packets on paths for which the account had no room.", f->others)      \
	GAUGE(redundant, "Whether several paths bring all messages: none is silent.", f->redundant)   \
	GAUGE(partial, "Whether the sender also numbers packets that do not come here.", f->partial)  \
	FACT(paths, "In order of appearance.",                                                        \
	     JSON_LIST(i, f->paths_cnt, path_json(v, &f->paths[i])))

/* Of a path of a sender: p, its struct path_figures; v, a struct senders_view. */
#define PATH_FACTS(FACT, GAUGE, COUNTER)                                                             \
	FACT(stream, "Whose packets it brings.", sender_path_stream(v->config, p))                   \
	FACT(interface, "On which its packets come.",                                                \
	     v->iface_name(v->of, p->ifindex, (char[SENDERS_IFACE_MAX]){ 0 }))                       \
	FACT(ifindex, "The interface's index.", p->ifindex)                                          \
	COUNTER(packets, "Packets of the sender that came on the path.", p->counted.packets)         \
	COUNTER(messages, "Messages sent since the path brought its first one.", p->messages)        \
	COUNTER(received, "Messages that the path has brought, each counted once.",                  \
		p->counted.received)                                                                 \
	COUNTER(first, "Messages that the path has brought before all others.", p->counted.first)    \
	COUNTER(lost, "Messages that the path had not brought when they left the history.", p->lost) \
	GAUGE(missing, "Messages in the history that the path has not brought.", p->missing)         \
	GAUGE(behind, "Messages above the highest one that the path has brought.", p->behind)        \
	COUNTER(out_of_order, "Messages that came behind a higher one of the path.",                 \
		p->counted.out_of_order)                                                             \
	COUNTER(repeated, "Messages that the path had brought before.", p->counted.repeated)         \
	COUNTER(late, "Messages older than the history.", p->counted.late)                           \
	COUNTER(far, "Messages whose numbers are far from the sender's others.", p->counted.far)     \
	COUNTER(unnoted, "Packets that are not counted here, because another CPU was stopped.",      \
		p->counted.unnoted)                                                                  \
	GAUGE(silent, "Whether the path brings nothing, while others do.", p->silent)                \
	FACT(skew, "Copies by how much later they came: below 1, 2, 4 ... us; the last: more.",      \
	     json_skew(p))
