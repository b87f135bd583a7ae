#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks of the tree's documents and rooms: checks.py CHECK TOOL, in the tree's root.

Prints what is wrong.
"""
import glob
import os
import re
import subprocess
import sys

DOCS = ["*.md", "*/README.md", "*/*/README.md", "user/*/*.md", "tests/*/*/README.md"]
SOURCES = ["include/*.h", "bpf/*.[ch]", "user/*/*.[chm]*", "tests/*/*.[ch]", "tests/*/*/*.[ch]",
           "tests/run*"]
README_LINES, ROOM_LINES, COLUMNS = 200, 60, 100
wrong = []


def files(*patterns):
    found = {path for pattern in patterns for path in glob.glob(pattern)}
    assert found, f"there are no files {patterns}"
    return sorted(found)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def expect(condition, text):
    if not condition:
        wrong.append(text)


def code_words(doc):
    """Words in fences, or between backticks, which do not match across blank lines."""
    fenced = code = False
    for line in read(doc).split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            continue
        code = code and line != ""
        for i, part in enumerate([line] if fenced else line.split("`")):
            code = not code if i else code
            if code or fenced:
                yield from re.split("[ \t|]", part)


def each_word(pattern, at_least):
    """Yields each document's words that are as a whole like the pattern."""
    found = [(doc, word) for doc in files(*DOCS) for word in code_words(doc)
             if re.fullmatch(pattern, word)]
    expect(len(found) > at_least, f"only {len(found)} words are like {pattern}")
    return found


def readme_is_short():
    rooms = [(room, ROOM_LINES) for room in files("user/*/README.md")]
    for doc, most in [("README.md", README_LINES)] + rooms:
        expect(read(doc).count("\n") <= most, f"{doc} has more than {most} lines")


def lines_are_narrow():
    for doc in files(*DOCS):
        for number, line in enumerate(read(doc).split("\n"), 1):
            expect(len(line) <= COLUMNS, f"{doc}:{number} has more than {COLUMNS} columns")


def paths_exist():
    for doc, word in each_word(r"(include|bpf|user|tests|scripts|\.ci)/[A-Za-z0-9_./-]*", 50):
        if "NAME" not in word and "ROOM" not in word:
            expect(os.path.exists(word), f"{doc}: there is no {word}")


def names_exist():
    """Functions, macros, and tests as in T='a_*'."""
    text = "".join(read(path) for path in files(*SOURCES))
    kinds = [r"[a-z0-9_]+\(\)", r"xdp_dedup_[a-z_]+\(.*", r"(DEDUP|XDP|GSP)_[A-Z0-9_]+(\(\))?",
             r"T='?\*?[a-z_]+\*?'?"]
    for doc, word in each_word("|".join(kinds), 50):
        name = re.sub("['*(].*", "", re.sub("^T='?[*]?", "", word))
        expect(name in text, f"{doc}: there is no {name}")


def options_exist():
    """The tools' options are strings in their sources."""
    text = "".join(read(path) for path in files(*SOURCES))
    for doc, word in each_word("--(?!(cflags|libs|no-block|now|since)$)[a-z-]+", 50):
        expect(f'"{word}"' in text, f"{doc}: there is no option {word}")


def anchors(doc):
    """Those of the headings, as GitHub makes them."""
    for heading in re.findall("^#+ *(.*)", read(doc), re.MULTILINE):
        yield re.sub("[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-")


def links_resolve():
    links = [(doc, to) for doc in files(*DOCS) for to in re.findall(r"\]\(([^)]*)", read(doc))]
    expect(len(links) > 20, "there are hardly any links")
    for doc, to in links:
        path, _, anchor = to.partition("#")
        path = os.path.join(os.path.dirname(doc), path) if path else doc
        if to.startswith("http"):
            continue
        expect(os.path.exists(path), f"{doc}: a link to {path}, which is not there")
        expect(not anchor or anchor in anchors(path), f"{doc}: a link to {to}: no such heading")


def verbs_have_their_rights():
    """In a table. Options and counters are in the man page, which is made of the tool's help."""
    rights = read("user/cli/USAGE.md").split("## Rights\n")[1].split("\n## ")[0]
    text = subprocess.check_output([sys.argv[2], "help"], text=True)
    verbs = re.findall("^  ([a-z]+)", text, re.MULTILINE)
    expect(len(verbs) > 15, "the help has hardly any verbs")
    for verb in verbs:
        expect(f"`{verb}`" in rights, f"the table of rights lacks {verb}")


def programs_say_what_they_show():
    """By a comment in the second line, below the licence."""
    for path in files("tests/*/*_test.c", "tests/unit/*/*_test.c", "tests/*/*_main.c"):
        second = read(path).split("\n")[1]
        expect(second.startswith("/* "), f"{path}: its second line does not say what it shows")


def fixtures_have_a_line_each():
    """The README of a room of fixtures names its files."""
    for path in files("tests/fixture/*/*.c"):
        doc, name = os.path.dirname(path) + "/README.md", os.path.basename(path).split(".")[0]
        expect(f"`{name}`" in read(doc), f"{doc} lacks `{name}`")


def named_programs_exist():
    for doc, word in each_word("[a-z0-9_]+_test", 0):
        if doc == "tests/README.md":
            files(f"tests/*/{word}.c", f"tests/unit/*/{word}.c")


# How the headers of libraries are included; and what files outside of user/ never include: GSP/1's
# header is the parser's and the packet makers'.
LIBRARIES = {
    "libbpf": r"<bpf/|skel\.h", "libxdp": "<xdp/", "libpcap": "<pcap", "libsystemd": "<systemd/",
    "libmicrohttpd": "<microhttpd", "json-c": "<json-c/", "inih": r"<ini\.h",
    "ncurses": "<n?curses", "libnats": "<nats[/.]", "libcrypto": "<openssl/",
    "libmnl": r"<(libmnl/|linux/(rt|ge)?netlink\.h)",
}
OUTSIDE = [
    ("include/*.h", ["include"],
     r"gsp\.h|<(bpf/(lib)?bpf\.h|xdp/|(stdio|stdlib|math|unistd|sys)[/.])"),
    ("bpf/*.[ch]", ["bpf", "include"], r"<(std(io|lib)|math|unistd|sys)[/.]"),
]
PRINTS = re.compile(r"\b(v?printf|puts|putchar|perror)\(|[(,] *stderr\b|"
                    r"\b(fprintf|fputs|fputc|putc|fwrite)\(.*\bstdout\b|#include \"print[.]h\"")


def rooms(what):
    """What scripts/rooms prints: of each room, in the order of the table, words."""
    text = subprocess.check_output(["scripts/rooms", what], text=True)
    return {line.split(":")[0]: line.split(":")[1].split() for line in text.splitlines()}


def includes(path):
    return re.findall('^#include.*', read(path), re.MULTILINE)


def headers_are_of_rooms_below():
    """A file includes only headers, and libraries, that its room may use."""
    may, all_rooms = rooms("libraries"), rooms("rooms")
    table = OUTSIDE + [
        (f"user/{room}/*.[ch]", ["include", "build"] + [f"user/{name}" for name in used],
         "|".join([r"gsp\.h"] + [LIBRARIES[name] for name in LIBRARIES if name not in may[room]]))
        for room, used in all_rooms.items()]
    for pattern, dirs, never in table:
        for path in files(pattern):
            for line in includes(path):
                own = re.match('#include "(.*)"', line)
                is_below = not own or any(os.path.exists(f"{d}/{own[1]}") for d in dirs)
                expect(is_below and not re.search(never, line), f"{path} may not have {line}")


def every_room_is_in_the_table():
    table = rooms("rooms")
    for path in files("user/*/*.[ch]"):
        expect(path.split("/")[1] in table, f"ARCHITECTURE.md lacks the room of {path}")


def only_programs_print():
    """Rooms below the programs report (user/base/diag.h). A capture may be written to the file
    stdout, if the user names it.
    """
    for path in files("user/*/*.[ch]"):
        if not re.match("user/(cli|service|tool|metrics|publish)/|user/base/print[.]", path):
            for line in read(path).splitlines():
                expect(not PRINTS.search(line), f"{path} prints, and is of no program: {line}")


def no_room_uses_one_below_it():
    """In the order of ARCHITECTURE.md's table, and fixtures in that of tests/README.md."""
    seen = []
    for room, used in rooms("rooms").items():
        seen.append(room)
        for name in used:
            expect(name in seen or name.startswith(".."), f"{room} uses {name}, below it")
    fixtures = re.findall(r"^\| \[([a-z0-9]*)\]\(fixture/", read("tests/README.md"), re.MULTILINE)
    expect(len(fixtures) > 5, "tests/README.md has hardly any rooms")
    for i, room in enumerate(fixtures):
        for path in files(f"tests/fixture/{room}/*.[ch]"):
            for header in re.findall('^#include "(.*)"', read(path), re.MULTILINE):
                for below in fixtures[i + 1:]:
                    expect(not os.path.exists(f"tests/fixture/{below}/{header}"),
                           f"{path} uses the room {below}, which is below it")


globals()[sys.argv[1]]()
sys.exit("\n".join(wrong) or 0)
