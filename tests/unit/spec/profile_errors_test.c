// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Texts that are no profiles: what is wrong, and where. */
#include "unit.h"

#include "profile.h"
#include "profile_text.h"

/* What is wrong, and where: LINE:COLUMN. */
#define LONG "0123456789012345678901234567890123456789"

static const struct {
	const char *text, *says;
} BAD[] = {
	{ "", "1:1: there is no [profile NAME] here" },
	{ " layer = udp\n", "1:2: keys come behind a section [profile NAME]" },
	{ A ID " nonsense\n", "4:2: a line is a section, KEY = VALUE, or begins with ; as a comment" },
	{ A ID "  colour = red\n", "4:3: there is no key colour" },
	{ "\n [profile a\nlayer = udp\n", "2:2: a section is [profile NAME]" },
	{ "[filter a]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "[profile ]\nlayer = udp\n",
	  "1:1:  is no name: 1 to 31 letters, digits, - and _, the first one no - or _" },
	{ "[profile a=b]\nlayer = udp\n", "1:1: a=b is no name: 1 to 31 letters" },
	{ "[profile " LONG "]\nlayer = udp\n", "1:1: 01234567890123456789012345678901 is no name" },
	{ A ID A ID, "4:1: there is a profile a already" },
	{ "[profile a] id = payload\nlayer = udp\n", "1:13: nothing comes behind a section's ]" },
	{ "[profile a]\n\n[profile b]\nlayer = udp\n" ID, "1:1: this section is empty" },
	{ A ID "  [profile b]\n", "4:3: this section is empty" },
	{ "[profile gsp]\nlayer = udp\n" ID, "1:1: gsp stays the built-in one: take another name" },
	{ "\n[profile a]\n" ID, "2:1: the layer is missing: udp, ip or ethernet" },
	{ "[profile a]\nlayer = tcp\n", "2:9: layer is udp, ip or ethernet" },
	{ "[profile a]\nlayer =\n", "2:6: layer is udp, ip or ethernet" },
	{ A "window = 1s\n", "1:1: the id is missing, as in: id = payload+0:8; or a sequence" },
	{ A ID "[profile b]\nlayer = udp\n[profile c]\nlayer = udp\n" ID, "4:1: the id is missing" },
	{ A "id = \n", "3:3: an id is missing here" },
	{ A "decoder = gsp\n", "3:11: only the built-in profile gsp has a decoder" },
	{ A "id = pay\x1bload\n", "3:9: a control character" },
	{ A "; " LONG LONG LONG LONG LONG "\n", "3:191: a line has at most 190 characters" },
	{ A "about = " LONG LONG "\n", "3:9: about has at most 79 characters" },
	{ A "id = udp+0:4\n", "3:6: a field begins with frame, tag, ip, payload, end or outer" },
	{ A "id = payload+0:4 foo+0:4\n", "3:18: a field begins with frame" },
	{ A "id = ip\n", "3:8: a segment is ip+OFFSET:LENGTH" },
	{ A "id = end\n", "3:9: a segment is end-OFFSET:LENGTH" },
	{ A "id = payload/0xff\n", "3:13: a segment is payload+OFFSET:LENGTH" },
	{ A "id = payload+:4\n", "3:14: an offset is missing here" },
	{ A "id = payload+0x10:4\n", "3:15: the length is missing" },
	{ A "id = payload+9217:1\n", "3:14: an offset is at most 9216" },
	{ A "id = end-4\n", "a segment is end-OFFSET:LENGTH" },
	{ A "id = payload+4:\n", "3:16: a length is missing here" },
	{ A "id = payload+4:0\n", "3:6: an id has 1 to 64 bytes, and payload+4:0 has 0" },
	{ A "id = payload+4:65\n", "3:6: an id has 1 to 64 bytes, and payload+4:65 has 65" },
	{ A "id = payload+4:4294967297\n", "3:16: a length is at most 9216" },
	{ A "id = frame-8:4\n", "3:6: frame-8:4 ends before the frame begins" },
	{ A "id = frame-2:4\n", "3:6: frame-2:4 begins before the frame begins" },
	{ ETH "id = tag-3:2\n", "3:6: tag-3:2: what is before tag counts from the frame's front" },
	{ IP "id = ip-2:2\n", "3:6: ip-2:2: what is before ip counts from the frame's front" },
	{ A "id = end+2:1\n", "3:6: end+2:1 lies behind the frame's end" },
	{ A "id = end-2:4\n", "3:6: end-2:4 goes on behind the frame's end" },
	{ A "id = end-0:1\n", "3:6: end-0:1 goes on behind the frame's end" },
	{ A "id = payload+9216:1\n", "3:6: payload+9216:1 ends behind 9216 bytes, the longest frame" },
	{ A "id = payload+0:33 payload+33:33\n", "3:19: with this the id has 66 bytes, at most 64" },
	{ A "id = payload+0:33\nid = payload+33:33\n",
	  "4:6: with this the id has 66 bytes, at most 64" },
	{ A "id = payload+0:17 payload+20:17 payload+40:17\n",
	  "3:33: with this the id takes 9 words, at most 8" },
	{ A "id = payload+0:64 payload\n", "3:19: with this the id takes 9 words, at most 8" },
	{ A "id = payload+0:1 payload+2:1 payload+4:1 payload+6:1 payload+8:1\n",
	  "3:54: an id has at most 4 segments" },
	{ A "id = payload payload:4\n", "3:14: an id has one digest" },
	{ A "id = payload:0\n", "3:14: this digest takes at least 1 byte" },
	{ IP "id = packet:59\n",
	  "3:13: this digest takes at least 60 bytes, the longest IPv4 header" },
	{ ETH "id = frame:59\n", "3:12: this digest takes at least 60 bytes, the shortest frame" },
	{ A "id = payload:9217\n", "3:14: a digest's length is at most 9216" },
	{ A "id = payload+0:4,payload+4:4\n", "3:17: a blank comes between the parts of an id" },
	{ A "id = payload+0:1/12\n", "3:18: a mask is written in hex, as 0x0f" },
	{ A "id = payload+0:2/0xff\n", "3:18: a mask of 2 bytes has 4 hex digits, and this has 2" },
	{ A "id = payload+0:2/0x0000\n", "3:18: this mask leaves nothing of the segment" },
	{ A "require = payload+0:9 == 0x010203040506070809\n",
	  "3:11: a gate compares 1 to 8 bytes, and payload+0:9 has 9" },
	{ A "require = payload+0:1\n", "3:22: == or != comes here" },
	{ A "require = payload+0:1 ==\n", "3:25: a value is written in hex" },
	{ A "exempt = payload+0:1/0xf0 == 0x18\n",
	  "3:30: this value has bits that the mask takes away: it can never be equal" },
	{ A "exempt = payload+0:1 == 0x18 0x19\n", "3:30: nothing comes behind" },
	{ A "require = payload == 0x18\n", "3:18: a segment is payload+OFFSET" },
	{ A "require = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\n"
	    "require = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n"
	    "exempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n",
	  "11:10: require and exempt are at most 8 together" },
	{ IP "id = ip+0:4 payload+0:4\n", "3:13: only layer udp has a payload" },
	{ "[profile a]\nid = payload+0:4\nlayer = ethernet\n", "2:6: only layer udp has a payload" },
	{ ETH "id = frame+0:4\nrequire = ip+0:1 == 0x40\n", "4:11: layer ethernet has no ip header" },
	{ A "id = payload+0:1 packet\n", "3:18: packet is for layer ip" },
	{ A "id = payload+0:1 frame\n", "3:18: frame as a whole is for layer ethernet" },
	{ A ID "ethertype = 0x0800\n", "4:13: ethertype is for layer ethernet" },
	{ IP "id = packet\nports = 80\n", "4:9: ports are for layer udp" },
	{ ETH "id = frame+0:4\nneeds = destination\n", "4:9: layer ethernet has no destinations" },
	{ ETH "ethertype = 0x800\n", "3:13: an EtherType is written with 4 hex digits, as 0x88fb" },
	{ ETH "ethertype = 0x05ff\n", "3:13: EtherTypes begin at 0x0600" },
	{ ETH "ethertype = 0x8100\n", "3:13: the EtherType is the one behind any" },
	{ A "sequence = payload+0:9\n",
	  "3:12: a sequence number has 1 to 8 bytes, and payload+0:9 has 9" },
	{ A "sequence = payload+0:1/0x7f\n", "3:12: a sequence number has at least 8 bits" },
	{ A "sequence = payload+0:2/0xf0ff\n", "3:12: the mask of a sequence number has no gaps" },
	{ A "sequence = payload\n", "3:19: a segment is payload+OFFSET:LENGTH" },
	{ A "sequence = payload+0:4\nsequence = payload+0:4\n", "4:1: sequence is there already" },
	{ A ID "sequence = payload+0:4\n", "3:6: a profile has an id, or a sequence with a source" },
	{ A "learn = app\nsequence = payload+0:4\n",
	  "3:9: an application teaches ids, not a sequence: leave out learn" },
	{ A "source = payload+0:33\nsequence = payload+0:5\n",
	  "3:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ A "source = payload+0:25\nsequence = payload+0:6/0x01ffffffffff\n",
	  "3:10: here a source is of at most 3 words of 8 bytes, and no digest" },
	{ A "sequence = payload+0:4\nsource = payload+4:4 payload\n",
	  "4:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ A "source = payload+0:8\n", "3:10: source is for a profile with a sequence" },
	{ A ID "count = payload+0:2\n", "4:9: count is for a profile with a sequence" },
	{ A ID "history = 1000\n", "4:11: history is for a profile with a sequence" },
	{ A ID "reset = 1s\n", "4:9: reset is for a profile with a sequence" },
	{ A "id = payload[99]\n", "3:16: a part is [OFFSET:MAX] or [OFFSET:-LENGTH]" },
	{ A "id = payload[99:5\n", "3:18: a ] is missing here" },
	{ A "id = payload[99:0]\n", "3:17: this digest takes at least 1 byte" },
	{ IP "id = packet[11:]\n", "3:13: here an offset is 0, or at least 12" },
	{ ETH "id = frame[6:]\n", "3:12: here an offset is 0, or at least 12" },
	{ A "id = payload[9217:]\n", "3:14: an offset is at most 9216" },
	{ A "id = payload[:-9217]\n", "3:16: a trailer's length is at most 9216" },
	{ A "id = payload[3:]+0:4\n", "3:17: a blank comes between the parts of an id" },
	{ A "id = payload+4:4le\n", "3:6: le is for sequence, count, require and exempt" },
	{ A "sequence = payload+0:4\nsource = payload+4:4le\n",
	  "4:10: le is for sequence, count, require and exempt" },
	{ A "sequence = payload+4:4/0x00ffffffle\n", "3:34: a sequence number is one segment" },
	{ A "sequence = payload+4:2le/0x0000\n", "3:26: this mask leaves nothing of the segment" },
	{ A "require = payload+0:2le/0x00ff == 0x0100\n",
	  "3:35: this value has bits that the mask takes away" },
	{ A "sequence = payload+4:4be\n", "3:23: a sequence number is one segment" },
	{ A "count = payload+0:9\n",
	  "3:9: a count of messages has 1 to 8 bytes, and payload+0:9 has 9" },
	{ A "count = payload+0:1 payload+1:1\n", "3:21: a count of messages is one segment" },
	{ A "history = 255\n", "3:11: a history is 256 to 16777184 numbers" },
	{ A "history = 16777185\n", "3:11: a history is 256 to 16777184 numbers" },
	{ A "reset = 9.999ms\n", "3:9: reset is 10ms to 1h" },
	{ A "reset = 3601s\n", "3:9: reset is 10ms to 1h" },
	{ A "sequence = payload+4:4\npartial = maybe\n", "4:11: partial is yes or no" },
	{ A ID "partial = yes\n", "4:11: partial is for a profile with a sequence" },
	{ IP "sequence = ip+4:2\ncount = payload+0:1\n", "4:9: only layer udp has a payload" },
	{ ETH "sequence = ip+4:2\n", "3:12: layer ethernet has no ip header" },
	{ ETH "sequence = tag+0:2\nsource = ip+12:4\n", "4:10: layer ethernet has no ip header" },
	{ A "window = 9ms\n", "3:10: a window is 10ms to 30d" },
	{ A "window = 31d\n", "3:10: a window is 10ms to 30d" },
	{ A "fpr = 1\n", "3:7: fpr is a rate below 1 and at least 1e-18, as 1e-6" },
	{ A "ports = 0\n", "3:9: ports are UDP ports from 1 to 65535" },
	{ A "forwarded = true\n", "3:13: forwarded is yes or no" },
	{ A "needs = port\n", "3:9: what a profile can need is: destination" },
	{ A "learn = kernel\n", "3:9: learn is app, or it is left out" },
};

TEST(error_is_told_with_its_place)
{
	for (size_t i = 0; i < ARRAY_SIZE(BAD); i++) {
		struct profiles p = { 0 };
		char says[512] = "";

		assert_int_equal(profiles_add_builtin(&p), 0);
		if (parse_as(&p, BAD[i].text, PROFILE_GIVEN, says, sizeof(says)) != -EINVAL ||
		    !strstr(says, BAD[i].says))
			fail_msg("of: %s\nsaid: %s\nnot:  %s", BAD[i].text, says, BAD[i].says);
		profiles_free(&p);
	}
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
