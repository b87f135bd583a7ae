// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion in bash and zsh, as it is made of the tool's help: what is offered for words that are
 * typed, with the cursor behind the last one.
 */
#include "unit.h"

static char dir[] = "/tmp/xdp-dedup-completion.XXXXXX"; /* $D in commands: has both completions */

#define PUBLISH BUILT "/xdp-dedup-publish"

/* Words as they are in bash's COMP_WORDS, where --option=value is three; of `words`, each is among
 * what is offered, or, with "= " before, they are all of that.
 */
static const struct row {
	const char *name, *typed, *words;
} ROWS[] = {
	{ "verbs", "''", "load unload status replay help --version" },
	{ "verbs-by-beginning", "res", "= resize restore reset" },
	{ "verbs-only-first", "load load ''", "lo" },
	{ "options-of-load", "load --", "--port --profile --capacity --layout --help" },
	{ "options-by-beginning", "load --l", "= --learn --layout" },
	{ "options-behind-arguments", "load eth0 --port 8001 --a", "= --action" },
	{ "actions", "set x --action ''", "= drop count" },
	{ "layouts", "size --layout ''", "= blocked flat countdown" },
	{ "hashes", "resize x --hash f", "= fast fips fnv1a" },
	{ "values-behind-equals", "load --layout =", "= blocked flat countdown" },
	{ "values-behind-equals-begun", "load --layout = c", "= countdown" },
	{ "profiles", "load --profile mold", "= moldudp64" },
	{ "no-values-of-numbers", "load --capacity ''", "=" },
	{ "interfaces", "check ''", "lo" },
	{ "interfaces-behind-options", "load --capacity 1M --forwarded l", "= lo" },
	{ "interfaces-third", "restore x y ''", "lo" },
	{ "files", "save x user/cli/verb_sa", "= user/cli/verb_sample.c" },
	{ "files-of-options", "load --profiles user/lib/R", "= user/lib/README.md" },
	{ "profile-verbs", "profile ''", "= list show check" },
	{ "profile-show", "profile show r-", "= r-tag" },
	{ "profile-check", "profile check Make", "= Makefile" },
	{ "help", "help res", "= resize restore reset" },
	{ "no-such-verb", "nonsense ''", "=" },
	{ "no-filters-without-rights", "status ''", "=" },
	/* Of xdp-dedup-publish, which has no verbs. */
	{ "publish-no-filters-without-rights", "''", "=" },
	{ "publish-options", "--s", "= --server --stream --subject --shards --skew --secret" },
	{ "publish-options-behind-the-filter", "eth0 --pending", "= --pending --pending-bytes" },
	{ "publish-options-of-all-programs", "--", "--help --version" },
	{ "publish-ways", "eth0 --receive ''", "= auto xsk udp" },
	{ "publish-files-of-options", "--config user/publish/publish.c",
	  "= user/publish/publish.conf" },
	{ "publish-credentials", "eth0 --credentials user/lib/R", "= user/lib/README.md" },
	{ "publish-no-values-of-times", "--skew ''", "=" },
	{ "publish-one-filter", "eth0 ''", "=" },
};

/* In a bash that has both completions, which may not get into each other's way. */
static void offers(void **state)
{
	const struct row *row = *state;
	bool is_publish = !strncmp(row->name, "publish-", 8);
	const char *program = is_publish ? "xdp-dedup-publish" : "xdp-dedup", *words = row->words;
	char out[4096];

	if (is_publish && access(PUBLISH, X_OK))
		skip();
	sh_out(out, sizeof(out),
	       "PATH=$D:$PATH bash --norc -c '. $D/xdp-dedup.bash; . $D/xdp-dedup-publish.bash\n"
	       "COMP_WORDS=(%s \"$@\"); COMP_CWORD=$#; COMPREPLY=()\n"
	       "f=$(complete -p %s); f=${f#*-F }; ${f%% *}; echo \" ${COMPREPLY[*]} \"' bash %s",
	       program, program, row->typed);
	if (*words == '=') {
		char all[4096];

		snprintf(all, sizeof(all), "%s%s \n", words[1] ? "" : " ", words + 1);
		assert_string_equal(out, all);
		return;
	}
	for (char copy[256], *rest = strcpy(copy, words), *word; (word = strsep(&rest, " "));) {
		char one[64];

		snprintf(one, sizeof(one), " %s ", word);
		if (!strstr(out, one))
			fail_msg("%s is not among%s", word, out);
	}
}

/* Typed into a zsh on a terminal: what there is one way to go on with is written, by tab. The
 * function that zsh then calls prints what it got.
 */
TEST(zsh_completes)
{
#define GOT                                                  \
	"GOT unload --all lo --name=x.\n"                    \
	"GOT load --layout=countdown --profile moldudp64.\n" \
	"GOT profile show r-tag.\nGOT save x Makefile.\n"
#define PUBLISH_GOT "GOT x --receive xsk --config Makefile.\n"
	const bool has_publish = !access(PUBLISH, X_OK);
	static const char KEYS[] = "xdp-dedup unl\\t--al\\tlo\\t --name=x\\n"
				   "xdp-dedup load --layout=c\\t --profile moldu\\t\\n"
				   "xdp-dedup profile sh\\tr-t\\t\\n"
				   "xdp-dedup save x Makef\\t\\n";
	static const char PUBLISH_KEYS[] = "xdp-dedup-publish x --receiv\\tx\\t --config Makef\\t\\n";
	char out[16384];

	if (sh_out(out, sizeof(out), "command -v zsh"))
		skip();
	sh_out(out, sizeof(out),
	       "mkdir -p $D/zsh; for i in xdp-dedup xdp-dedup-publish; do "
	       "cp $D/$i.zsh $D/zsh/_$i; done; cat >$D/drive.zsh <<'EOF'\n"
	       "zmodload zsh/zpty\n"
	       "zpty z env TERM=dumb PATH=$D:$PATH zsh -f -i\n"
	       "zpty -w z 'fpath=($D/zsh $fpath); autoload -U compinit; compinit -u -d $D/dump'\n"
	       "zpty -w z 'xdp-dedup() { case $1:$2 in profile:list) command xdp-dedup $@;; *) "
	       "print \"GOT $*.\";; esac; }; xdp-dedup-publish() { print \"GOT $*.\" }; LISTMAX=0; unsetopt beep; print READY'\n"
	       "zpty -r -m z line '*READY*READY*'\n"
	       "zpty -w -n z $'%s%s'\n"
	       "zpty -w z 'print -r DO\"\"NE'\n"
	       "repeat 2000; do zpty -r -t z line && print -rn -- $line || sleep 0.1\n"
	       "[[ $line == *DONE* ]] && break; done\n"
	       "zpty -d z\nEOF\n"
	       "timeout 300 zsh -f $D/drive.zsh | tr -d '\\r' | grep -o 'GOT .*\\.'",
	       KEYS, has_publish ? PUBLISH_KEYS : "");
	assert_string_equal(out, has_publish ? GOT PUBLISH_GOT : GOT);
}

int main(void)
{
	int failed;

	if (!mkdtemp(dir))
		return 1;
	setenv("D", dir, 1);
	sh("ln -s $(readlink -f %s) $D/xdp-dedup; ln -s $(readlink -f " PUBLISH
	   ") $D/xdp-dedup-publish\n"
	   "for tool in xdp-dedup xdp-dedup-publish; do [ -e $D/$tool ] || continue\n"
	   "scripts/tables $D/$tool >$D/tables || exit 1\n"
	   "for i in bash zsh; do TABLES=$D/tables scripts/manual user/completion/completion.$i "
	   "$D/$tool >$D/$tool.$i || exit 1; done; done",
	   tool());
	add_rows(ROWS, offers, NULL, NULL);
	add_own_tests(NULL, NULL);
	failed = run_added_any_tests("completion");
	sh("rm -rf $D");
	return failed;
}
