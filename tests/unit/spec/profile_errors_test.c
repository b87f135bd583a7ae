// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Texts that are no profiles: what is wrong, and where. */
#include "unit.h"

#include "profile.h"
#include "profile_text.h"

/* What is wrong, and where: LINE:COLUMN. */
#define LONG "0123456789012345678901234567890123456789"

static const struct bad_row {
	const char *name, *text, *says;
} BAD[] = {
	{ "empty", "", "1:1: there is no [profile NAME] here" },
	{ "comments-only", "; x\n", "1:1: there is no [profile NAME] here" },
	{ "key-before-section", " layer = udp\n", "1:2: keys come behind a section [profile NAME]" },
	{ "no-key", A ID " nonsense\n",
	  "4:2: a line is a section, KEY = VALUE, or begins with ; as a comment" },
	{ "unknown-key", A ID "  colour = red\n", "4:3: there is no key colour" },
	{ "key-of-a-longer-name", A "ids = payload\n", "3:1: there is no key ids" },
	{ "key-without-name", A "= payload\n", "3:1: there is no key " },
	{ "key-twice", A "layer = ip\n", "3:1: layer is there already" },
	{ "window-twice", A "window = 1s\nwindow = 1s\n", "4:1: window is there already" },
	{ "section-open", "\n [profile a\nlayer = udp\n", "2:2: a section is [profile NAME]" },
	{ "second-section-open", A ID "[profile b\nlayer = udp\n",
	  "4:1: a section is [profile NAME]" },
	{ "section-of-others", "[filter a]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "section-no-blank", "[profilea]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "section-no-name", "[profile]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "section-empty-name", "[profile ]\nlayer = udp\n",
	  "1:1:  is no name: 1 to 31 letters, digits, - and _, the first one no - or _" },
	{ "section-bad-name", "[profile a=b]\nlayer = udp\n", "1:1: a=b is no name: 1 to 31 letters" },
	{ "section-dash-name", "[profile -a]\nlayer = udp\n", "1:1: -a is no name: 1 to 31 letters" },
	{ "section-long-name", "[profile " LONG "]\nlayer = udp\n",
	  "1:1: 01234567890123456789012345678901 is no name" },
	{ "section-longer-name", "[profile " LONG LONG "]\nlayer = udp\n",
	  "1:1: 01234567890123456789012345678901 is no name" },
	{ "section-twice", A ID A ID, "4:1: there is a profile a already" },
	{ "section-and-more", "[profile a] id = payload\nlayer = udp\n",
	  "1:13: nothing comes behind a section's ]" },
	{ "section-without-keys", "[profile a]\n\n[profile b]\nlayer = udp\n" ID,
	  "1:1: this section is empty" },
	{ "last-section-without-keys", A ID "  [profile b]\n", "4:3: this section is empty" },
	{ "gsp-taken", "[profile gsp]\nlayer = udp\n" ID,
	  "1:1: gsp stays the built-in one: take another name" },
	{ "layer-missing", "\n[profile a]\n" ID, "2:1: the layer is missing: udp, ip or ethernet" },
	{ "layer-unknown", "[profile a]\nlayer = tcp\n", "2:9: layer is udp, ip or ethernet" },
	{ "layer-empty", "[profile a]\nlayer =\n", "2:6: layer is udp, ip or ethernet" },
	{ "id-missing", A "window = 1s\n",
	  "1:1: the id is missing, as in: id = payload+0:8; or a sequence" },
	{ "second-id-missing", A ID "[profile b]\nlayer = udp\n[profile c]\nlayer = udp\n" ID,
	  "4:1: the id is missing" },
	{ "id-empty", A "id = \n", "3:3: an id is missing here" },
	{ "decoder", A "decoder = gsp\n", "3:11: only the built-in profile gsp has a decoder" },
	{ "decoder-unknown", A "decoder = x\n", "3:11: only the built-in profile gsp has a decoder" },
	{ "control-character", A "id = pay\x1bload\n", "3:9: a control character" },
	{ "line-long", A "; " LONG LONG LONG LONG LONG "\n",
	  "3:191: a line has at most 190 characters" },
	{ "about-long", A "about = " LONG LONG "\n", "3:9: about has at most 79 characters" },

	{ "base-unknown", A "id = udp+0:4\n",
	  "3:6: a field begins with frame, tag, ip, payload, end or outer" },
	{ "base-second", A "id = payload+0:4 foo+0:4\n", "3:18: a field begins with frame" },
	{ "base-of-a-longer-name", A "id = ips+0:4\n", "3:6: a field begins with frame" },
	{ "base-alone", A "id = ip\n", "3:8: a segment is ip+OFFSET:LENGTH" },
	{ "end-alone", A "id = end\n", "3:9: a segment is end-OFFSET:LENGTH" },
	{ "digest-masked", A "id = payload/0xff\n", "3:13: a segment is payload+OFFSET:LENGTH" },
	{ "offset-missing", A "id = payload+:4\n", "3:14: an offset is missing here" },
	{ "offset-hex", A "id = payload+0x10:4\n", "3:15: the length is missing" },
	{ "offset-large", A "id = payload+9217:1\n", "3:14: an offset is at most 9216" },
	{ "offset-huge", A "id = payload+99999999999999999999:1\n",
	  "3:14: an offset is at most 9216" },
	{ "length-missing", A "id = payload+4\n",
	  "3:15: the length is missing: a segment is payload+OFFSET:LENGTH" },
	{ "length-missing-end", A "id = end-4\n", "a segment is end-OFFSET:LENGTH" },
	{ "length-empty", A "id = payload+4:\n", "3:16: a length is missing here" },
	{ "length-0", A "id = payload+4:0\n", "3:6: an id has 1 to 64 bytes, and payload+4:0 has 0" },
	{ "length-65", A "id = payload+4:65\n",
	  "3:6: an id has 1 to 64 bytes, and payload+4:65 has 65" },
	{ "length-huge", A "id = payload+4:4294967297\n", "3:16: a length is at most 9216" },
	{ "before-the-frame", A "id = frame-8:4\n", "3:6: frame-8:4 ends before the frame begins" },
	{ "over-the-front", A "id = frame-2:4\n", "3:6: frame-2:4 begins before the frame begins" },
	{ "before-the-tag", ETH "id = tag-3:2\n",
	  "3:6: tag-3:2: what is before tag counts from the frame's front" },
	{ "before-the-ip-header", IP "id = ip-2:2\n",
	  "3:6: ip-2:2: what is before ip counts from the frame's front" },
	{ "behind-the-end", A "id = end+2:1\n", "3:6: end+2:1 lies behind the frame's end" },
	{ "over-the-end", A "id = end-2:4\n", "3:6: end-2:4 goes on behind the frame's end" },
	{ "nothing-of-the-end", A "id = end-0:1\n", "3:6: end-0:1 goes on behind the frame's end" },
	{ "behind-all-frames", A "id = payload+9216:1\n",
	  "3:6: payload+9216:1 ends behind 9216 bytes, the longest frame" },
	{ "id-of-66-bytes", A "id = payload+0:33 payload+33:33\n",
	  "3:19: with this the id has 66 bytes, at most 64" },
	{ "id-of-66-bytes-on-two-lines", A "id = payload+0:33\nid = payload+33:33\n",
	  "4:6: with this the id has 66 bytes, at most 64" },
	{ "id-of-nine-words", A "id = payload+0:17 payload+20:17 payload+40:17\n",
	  "3:33: with this the id takes 9 words, at most 8" },
	{ "id-of-eight-words-and-a-digest", A "id = payload+0:64 payload\n",
	  "3:19: with this the id takes 9 words, at most 8" },
	{ "id-of-a-digest-and-eight-words", A "id = payload payload+0:64\n",
	  "3:14: with this the id takes 9 words, at most 8" },
	{ "id-of-five-segments",
	  A "id = payload+0:1 payload+2:1 payload+4:1 payload+6:1 payload+8:1\n",
	  "3:54: an id has at most 4 segments" },
	{ "two-digests", A "id = payload payload:4\n", "3:14: an id has one digest" },
	{ "digest-of-0", A "id = payload:0\n", "3:14: this digest takes at least 1 byte" },
	{ "digest-within-a-header", IP "id = packet:59\n",
	  "3:13: this digest takes at least 60 bytes, the longest IPv4 header" },
	{ "digest-within-the-shortest-frame", ETH "id = frame:59\n",
	  "3:12: this digest takes at least 60 bytes, the shortest frame" },
	{ "two-digests-of-a-frame", ETH "id = frame frame:20\n", "3:12: an id has one digest" },
	{ "digest-of-too-much", A "id = payload:9217\n", "3:14: a digest's length is at most 9216" },
	{ "digest-of-a-word", A "id = payload:x\n", "3:14: a digest's length is missing here" },
	{ "id-with-a-comma", A "id = payload+0:4,payload+4:4\n",
	  "3:17: a blank comes between the parts of an id" },
	{ "digest-with-a-comma", A "id = payload:4,payload+4:4\n",
	  "3:15: a blank comes between the parts of an id" },

	{ "mask-decimal", A "id = payload+0:1/12\n", "3:18: a mask is written in hex, as 0x0f" },
	{ "mask-short", A "id = payload+0:2/0xff\n",
	  "3:18: a mask of 2 bytes has 4 hex digits, and this has 2" },
	{ "mask-long", A "id = payload+0:1/0x0ff\n",
	  "3:18: a mask of 1 byte has 2 hex digits, and this has 3" },
	{ "mask-of-nothing", A "id = payload+0:2/0x0000\n",
	  "3:18: this mask leaves nothing of the segment" },

	{ "gate-of-9", A "require = payload+0:9 == 0x010203040506070809\n",
	  "3:11: a gate compares 1 to 8 bytes, and payload+0:9 has 9" },
	{ "gate-without-comparison", A "require = payload+0:1\n", "3:22: == or != comes here" },
	{ "gate-of-one-sign", A "require = payload+0:1 = 0x01\n", "3:23: == or != comes here" },
	{ "gate-without-value", A "require = payload+0:1 ==\n", "3:25: a value is written in hex" },
	{ "gate-value-short", A "exempt = payload+0:2 != 0x1\n",
	  "3:25: a value of 2 bytes has 4 hex digits, and this has 1" },
	{ "gate-value-outside-mask", A "exempt = payload+0:1/0xf0 == 0x18\n",
	  "3:30: this value has bits that the mask takes away: it can never be equal" },
	{ "gate-and-more", A "exempt = payload+0:1 == 0x18 0x19\n", "3:30: nothing comes behind" },
	{ "gate-of-a-digest", A "require = payload == 0x18\n", "3:18: a segment is payload+OFFSET" },
	{ "nine-gates",
	  A "require = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\n"
	    "require = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n"
	    "exempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n",
	  "11:10: require and exempt are at most 8 together" },

	{ "ip-without-payload", IP "id = ip+0:4 payload+0:4\n", "3:13: only layer udp has a payload" },
	{ "ethernet-without-payload", "[profile a]\nid = payload+0:4\nlayer = ethernet\n",
	  "2:6: only layer udp has a payload" },
	{ "ethernet-without-ip", ETH "id = frame+0:4\nrequire = ip+0:1 == 0x40\n",
	  "4:11: layer ethernet has no ip header" },
	{ "ip-without-payload-digest", IP "id = payload\n", "3:6: only layer udp has a payload" },
	{ "udp-without-packet", A "id = payload+0:1 packet\n", "3:18: packet is for layer ip" },
	{ "ethernet-without-packet", ETH "id = packet\n", "3:6: packet is for layer ip" },
	{ "udp-without-frame", A "id = payload+0:1 frame\n",
	  "3:18: frame as a whole is for layer ethernet" },
	{ "ip-without-frame", IP "id = frame:60\n", "3:6: frame as a whole is for layer ethernet" },
	{ "udp-ethertype", A ID "ethertype = 0x0800\n", "4:13: ethertype is for layer ethernet" },
	{ "ip-ports", IP "id = packet\nports = 80\n", "4:9: ports are for layer udp" },
	{ "ethernet-needs", ETH "id = frame+0:4\nneeds = destination\n",
	  "4:9: layer ethernet has no destinations" },

	{ "ethertype-short", ETH "ethertype = 0x800\n",
	  "3:13: an EtherType is written with 4 hex digits, as 0x88fb" },
	{ "ethertype-decimal", ETH "ethertype = 2048\n", "3:13: an EtherType is written" },
	{ "ethertype-and-more", ETH "ethertype = 0x0800 x\n", "3:13: an EtherType is written" },
	{ "ethertype-length", ETH "ethertype = 0x05ff\n", "3:13: EtherTypes begin at 0x0600" },
	{ "ethertype-vlan", ETH "ethertype = 0x8100\n", "3:13: the EtherType is the one behind any" },
	{ "sequence-of-9", A "sequence = payload+0:9\n",
	  "3:12: a sequence number has 1 to 8 bytes, and payload+0:9 has 9" },
	{ "sequence-of-7-bits", A "sequence = payload+0:1/0x7f\n",
	  "3:12: a sequence number has at least 8 bits" },
	{ "sequence-with-gaps", A "sequence = payload+0:2/0xf0ff\n",
	  "3:12: the mask of a sequence number has no gaps" },
	{ "sequence-with-a-gap-in-its-low-bits", A "sequence = payload+0:2/0xffdf\n",
	  "3:12: the mask of a sequence number has no gaps" },
	{ "sequence-of-a-digest", A "sequence = payload\n",
	  "3:19: a segment is payload+OFFSET:LENGTH" },
	{ "sequence-of-two-segments", A "sequence = payload+0:4 payload+4:4\n",
	  "3:24: a sequence number is one segment" },
	{ "sequence-twice", A "sequence = payload+0:4\nsequence = payload+0:4\n",
	  "4:1: sequence is there already" },
	{ "sequence-beside-an-id", A ID "sequence = payload+0:4\n",
	  "3:6: a profile has an id, or a sequence with a source" },
	{ "sequence-that-an-application-learns", A "learn = app\nsequence = payload+0:4\n",
	  "3:9: an application teaches ids, not a sequence: leave out learn" },
	{ "source-of-5-words", A "source = payload+0:33\nsequence = payload+0:5\n",
	  "3:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ "source-of-4-words-for-41-bits",
	  A "source = payload+0:25\nsequence = payload+0:6/0x01ffffffffff\n",
	  "3:10: here a source is of at most 3 words of 8 bytes, and no digest" },
	{ "source-with-a-digest", A "sequence = payload+0:4\nsource = payload+4:4 payload\n",
	  "4:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ "source-without-sequence", A "source = payload+0:8\n",
	  "3:10: source is for a profile with a sequence" },
	{ "count-without-sequence", A ID "count = payload+0:2\n",
	  "4:9: count is for a profile with a sequence" },
	{ "history-without-sequence", A ID "history = 1000\n",
	  "4:11: history is for a profile with a sequence" },
	{ "reset-without-sequence", A ID "reset = 1s\n",
	  "4:9: reset is for a profile with a sequence" },
	{ "count-of-9", A "count = payload+0:9\n",
	  "3:9: a count of messages has 1 to 8 bytes, and payload+0:9 has 9" },
	{ "count-with-gaps", A "count = payload+0:1/0xa0\n",
	  "3:9: the mask of a count of messages has no gaps" },
	{ "count-of-two-segments", A "count = payload+0:1 payload+1:1\n",
	  "3:21: a count of messages is one segment" },
	{ "history-short", A "history = 255\n", "3:11: a history is 256 to 16777184 numbers" },
	{ "history-long", A "history = 16777185\n", "3:11: a history is 256 to 16777184 numbers" },
	{ "history-of-a-time", A "history = 10s\n", "3:11: a history is 256 to 16777184 numbers" },
	{ "reset-short", A "reset = 9.999ms\n", "3:9: reset is 10ms to 1h" },
	{ "reset-long", A "reset = 3601s\n", "3:9: reset is 10ms to 1h" },
	{ "partial-maybe", A "sequence = payload+4:4\npartial = maybe\n",
	  "4:11: partial is yes or no" },
	{ "partial-without-sequence", A ID "partial = yes\n",
	  "4:11: partial is for a profile with a sequence" },
	{ "reset-no-unit", A "reset = 10\n", "3:9: reset is 10ms to 1h" },
	{ "ip-without-payload-sequence", IP "sequence = payload+0:4\n",
	  "3:12: only layer udp has a payload" },
	{ "ip-without-payload-count", IP "sequence = ip+4:2\ncount = payload+0:1\n",
	  "4:9: only layer udp has a payload" },
	{ "ethernet-without-ip-sequence", ETH "sequence = ip+4:2\n",
	  "3:12: layer ethernet has no ip header" },
	{ "ethernet-without-ip-source", ETH "sequence = tag+0:2\nsource = ip+12:4\n",
	  "4:10: layer ethernet has no ip header" },

	{ "window-short", A "window = 9ms\n", "3:10: a window is 10ms to 30d" },
	{ "window-no-unit", A "window = 10\n", "3:10: a window is 10ms to 30d" },
	{ "window-long", A "window = 31d\n", "3:10: a window is 10ms to 30d" },
	{ "fpr", A "fpr = 1\n", "3:7: fpr is a rate below 1 and at least 1e-18, as 1e-6" },
	{ "ports", A "ports = 0\n", "3:9: ports are UDP ports from 1 to 65535" },
	{ "forwarded", A "forwarded = true\n", "3:13: forwarded is yes or no" },
	{ "needs", A "needs = port\n", "3:9: what a profile can need is: destination" },
	{ "learn", A "learn = kernel\n", "3:9: learn is app, or it is left out" },
};

TEST_ROWS(error_is_told_with_its_place, BAD)
{
	struct profiles p = { 0 };
	char says[512];

	assert_int_equal(profiles_add_builtin(&p), 0);
	assert_int_equal(parse_as(&p, row->text, PROFILE_GIVEN, says, sizeof(says)), -EINVAL);
	if (!strstr(says, row->says))
		fail_msg("said: %s\nnot:  %s", says, row->says);
	profiles_free(&p);
}

/* Only built-in texts come so far. */
TEST(decoder_makes_the_id_itself)
{
	static const char *const WITH[] = { "id = payload+0:4\n", "require = payload+0:1 == 0x01\n",
					    "layer = ip\n" };

	for (size_t i = 0; i < ARRAY_SIZE(WITH); i++) {
		struct profiles p = { 0 };
		char text[128], says[512];

		snprintf(text, sizeof(text), "[profile a]\ndecoder = gsp\n%s%s",
			 strstr(WITH[i], "layer") ? "" : "layer = udp\n", WITH[i]);
		assert_int_equal(parse_as(&p, text, PROFILE_BUILTIN, says, sizeof(says)), -EINVAL);
		assert_string_equal(says, "2:11: this decoder is for layer udp, and makes the id");
		profiles_free(&p);
	}
}

UNIT_MAIN()
