#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Do the quick tests find faults? As root: tests/mutate.py [--count N] [--seed N] [PATH...]

Changes one line of the product at a time, in a worktree of its own (build/mutants, of HEAD), and
runs the tests that most likely find it until one fails, which it runs again to be sure. Mutants that
none of these finds are tried together, by all quick tests. Prints for each mutant what found it, or
that nothing did. A mutant that does not compile, or of which the compiler makes the same programs,
does not count.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import random
import re
import signal
import subprocess
import sys

PATHS = ["include", "bpf", "user/control", "user/attach", "user/filter"]
TREE = "build/mutants"
ALL = ["all", "build/xdp-dedup-bench"]
MADE = ["build/xdp-dedup", "build/obj/tests/programs"]
TEST_SECONDS = 120
AT_ONCE = 6
TOGETHER = 12
LIKELY = 12
# A pattern, and what takes its place. Each match is a mutant.
CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" << ", " >> "), (r" & ", " | "), (r" \+= ", " -= "),
    (r"\bif \((.*)\)$", r"if (0 && (\1))"), (r"\bif \((.*)\)$", r"if (1 || (\1))"),
    (r"!(?=[a-z_(])", ""), (r"\breturn -E[A-Z]+;", "return 0;"), (r"\breturn (true|1);", "return 0;"),
    (r"\breturn (false|0);", "return 1;"), (r"^\t+(continue|break);$", ""),
    (r"^\t+(?!__)[a-z_]+\(.*\);$", ""), (r"^\t+[a-z][\w.>\[\]-]* [|&+-]?= .*;$", ""),
]


def is_code(line):
    return line.startswith("\t") and not re.match(r"\s*(/?\*|//|#|_Static_assert|\"|{ \")", line) \
        and not line.endswith("\\")


def mutants_of(path):
    with open(path, encoding="ascii") as f:
        lines = tuple(f.read().split("\n"))
    for at, line in enumerate(lines):
        code = line.split("/*")[0].rstrip() if is_code(line) else ""
        for pattern, instead in CHANGES:
            for match in re.finditer(pattern, code):
                changed = code[:match.start()] + match.expand(instead) + code[match.end():]
                yield path, at, lines, changed


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          **options).returncode


def build(*targets):
    return run("make", "-s", f"-j{os.cpu_count()}", *MADE, *targets) == 0


def digest():
    total = hashlib.sha256()
    for path in MADE:
        with open(path, "rb") as f:
            total.update(f.read())
    return total.digest()


def quick_programs():
    listed = subprocess.run(["make", "-n", "test"], capture_output=True, text=True, check=True).stdout
    line = [x for x in listed.replace("\\\n", " ").split("\n") if "tests/run build/plain" in x][-1]
    return [p for p in line.split("tests/run ")[1].split() if p != "--"]


def likely(programs, path, finds):
    """Tests of the same room, and those that found most so far."""
    room = "prog" if path.startswith(("bpf", "include")) else path.split("/")[1]
    unit = "include" if room == "prog" else room
    near = {os.path.basename(f)[:-2] for f in subprocess.run(
        ["git", "ls-files", f"tests/{room}", f"tests/unit/{unit}"],
        capture_output=True, text=True, check=True).stdout.split()}
    best = [p for p, _ in finds.most_common(LIKELY)]
    return [p for p in programs if os.path.basename(p) in near] + \
        [p for p in best if os.path.basename(p) not in near]


def end(process):
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass  # it has just ended


def fails(program, running):
    env = dict(os.environ, CPU_SECONDS="2", CMOCKA_MESSAGE_OUTPUT="TAP")
    with subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                          start_new_session=True) as process:
        running.add(process)
        try:
            return process.wait(TEST_SECONDS) != 0
        except subprocess.TimeoutExpired:
            end(process)
            return True
        finally:
            running.discard(process)


def found_by(programs):
    """The first program that fails twice, or None. Ends the others. Takes those that passed out."""
    running, found = set(), None
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        tests = {pool.submit(fails, p, running): p for p in programs}
        for done in concurrent.futures.as_completed(tests):
            if not done.result() or not fails(tests[done], running):
                programs.remove(tests[done])
                continue
            found = tests[done]
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                end(process)
            break
    return found


def write(mutants):
    """Makes the tree that of HEAD with these changes."""
    run("git", "checkout", "-q", "--", ".")
    for path in {m[0] for m in mutants}:
        mine = [m for m in mutants if m[0] == path]
        lines = list(mine[0][2])
        for _, at, _, changed in mine:
            lines[at] = changed
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join(lines))


def culprit(mutants, program):
    """One of these because of which this program fails: by halves."""
    while len(mutants) > 1:
        half = mutants[:len(mutants) // 2]
        write(half)
        failed = build(program) and fails(program, set()) and fails(program, set())
        mutants = half if failed else mutants[len(half):]
    return mutants[0]


def by_all(mutants, programs):
    """What finds these mutants, which are tried together: a program for each; "": nothing."""
    found = {m: "" for m in mutants}
    left, programs = list(mutants), list(programs)
    while left:
        write(left)
        if not build(*ALL, *programs):
            if len(left) == 1:
                found[left[0]] = "make"  # what likely tests run is built, but not all
                break
            return {m: by for half in (left[::2], left[1::2]) for m, by in by_all(half, programs).items()}
        program = found_by(programs)
        if not program:
            break
        found[culprit(left, program)] = program
        left = [m for m in left if not found[m]]
    return found


def show(mutant, by):
    path, at, lines, changed = mutant
    print(f"{path}:{at + 1}: {'found by ' + os.path.basename(by) if by else 'NOT FOUND'}\n"
          f"    - {lines[at].strip()}\n    + {changed.strip()}", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("paths", nargs="*", default=PATHS)
    asked = options.parse_args()
    os.chdir(os.path.join(os.path.dirname(__file__), ".."))
    run("git", "worktree", "remove", "--force", TREE)
    if run("git", "worktree", "add", "--detach", TREE, "HEAD"):
        sys.exit(f"mutate.py: {TREE} cannot be made: is this a clone of the repository?")
    os.chdir(TREE)
    programs = quick_programs()
    run("make", "-s", "build/next/xdp-dedup", "build/next/xdp-dedup-publish")  # of HEAD, for all
    if not build(*ALL, *programs):
        sys.exit("mutate.py: HEAD does not build")
    original = digest()
    wrong = found_by(list(programs))
    if wrong:
        sys.exit(f"mutate.py: {wrong} fails at HEAD")
    files = subprocess.run(["git", "ls-files", *asked.paths], capture_output=True, text=True,
                           check=True).stdout.split()
    mutants = [m for f in files if f.endswith((".c", ".h")) for m in mutants_of(f)]
    random.Random(asked.seed).shuffle(mutants)
    tried, finds, left = 0, collections.Counter(), []
    while tried < asked.count and mutants:
        mutant = mutants.pop()
        write([mutant])
        if not build(*programs) or digest() == original:
            continue
        tried += 1
        by = found_by(likely(programs, mutant[0], finds))
        if by:
            finds[by] += 1
            show(mutant, by)
        else:
            left.append(mutant)
        if len(left) == TOGETHER or (left and (tried == asked.count or not mutants)):
            for one, program in by_all(left, programs).items():
                if program:
                    finds[program] += 1
                show(one, program)
            left = []
    print(f"{finds.total()} of {tried} mutants found")


if __name__ == "__main__":
    main()
