#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rooms_test.py PROJECT_DIR: rooms.py finds every kind of violation, one planted at a time in a copy of the sources."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import rooms  # noqa: E402

failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


class Copy:
    """A copy of the program's sources with two planted files per room, also in rooms that have no files yet."""

    def __init__(self, project, folder):
        self.folder = pathlib.Path(folder)
        text = (pathlib.Path(project) / rooms.RULES_FILE).read_text(encoding="utf-8")
        self.rules = rooms.Rules(text)
        for top in self.rules.top_folders():
            if (pathlib.Path(project) / top).is_dir():
                shutil.copytree(pathlib.Path(project) / top, self.folder / top, ignore=shutil.ignore_patterns("node_modules"))
        self.write(rooms.RULES_FILE, text)
        untouched = rooms.check(rooms.Tree(self.folder, self.rules))
        expect(untouched == rooms.check(rooms.Tree(project, self.rules)), "the copy has other findings than the project")
        for room in self.rules.direct:
            self.write(f"{room}/planted.h", "#pragma once\n")
            self.write(f"{room}/planted.cpp", "int planted;\n")
        self.write("tests/support/planted.h", "")
        self.write("bench/planted.h", "")
        self.tree = rooms.Tree(self.folder, self.rules)
        self.before = rooms.check(self.tree)
        expect(self.before == untouched, "files without includes change the findings")

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def findings(self, files):
        """The findings in the given files, and all cycles, that were not there before. Undoes the change."""
        kept = {path: (self.folder / path).read_text(encoding="utf-8") if path in self.tree.sources else None for path in files}
        for path, text in files.items():
            self.tree.put(path, text)
        found = set(rooms.check(self.tree, list(files))) - set(self.before)
        for path, text in kept.items():
            self.tree.put(path, text)
        return sorted(found)

    def finds(self, files, path, line, rule, text):
        """Exactly one new finding, with its file, line, rule, and a text in its message."""
        found = self.findings(files)
        good = len(found) == 1 and found[0][:3] == (path, line, rule) and text in found[0].message
        expect(good, f"planted in {path}:{line}, rule {rule}, '{text}'; found: {found}")

    def accepts(self, files):
        found = self.findings(files)
        expect(not found, f"{files} is no violation; found: {found}")


def source_file(copy, room):
    """A file of the project in a room, or the planted one of a room without files."""
    files = [p for p in copy.tree.sources if copy.rules.room_of(p) == room and "planted" not in p]
    return min(files, default=f"{room}/planted.cpp")


def appended(copy, path, line):
    """The file with one line more, and the number of that line."""
    text = (copy.folder / path).read_text(encoding="utf-8")
    return {path: text + line + "\n"}, text.count("\n") + 1


def check_arrows(copy):
    planted = 0
    for room in copy.rules.direct:
        path = source_file(copy, room)
        for other in copy.rules.direct:
            files, line = appended(copy, path, f'#include "{other}/planted.h"')
            if other in copy.rules.allowed[room]:
                copy.accepts(files)
            else:
                copy.finds(files, path, line, "arrow", f"{room} may not include {other}: {other}/planted.h")
                planted += 1
    expect(planted > len(copy.rules.direct), "hardly any arrow is forbidden")
    # other ways to write the same include
    for line in ("#include <core/experiment/planted.h>", '#include "../core/experiment/planted.h"',
                 '  #  include "core/experiment/../experiment/planted.h"  // why',
                 '/* why */ #include "core/experiment/planted.h"'):
        copy.finds({"crypto/planted.h": "\n" + line + "\n"}, "crypto/planted.h", 2, "arrow", "core/experiment/planted.h")
    copy.accepts({"crypto/planted.h": '// #include "cli/planted.h"\n/*\n#include "cli/planted.h"\n*/\n'})


def check_places(copy):
    copy.finds({"core/unknown/file.h": "#pragma once\n"}, "core/unknown/file.h", 1, "room", "belongs to no room")
    copy.finds({"core/file.cpp": "int x;\n"}, "core/file.cpp", 1, "room", "belongs to no room")
    copy.write("tools/planted.h", "")
    copy.finds({"cli/planted.h": '#include "tools/planted.h"\n'}, "cli/planted.h", 1, "room", "tools/planted.h")
    for room in copy.rules.direct:
        for outside in ("tests/support/planted.h", "bench/planted.h"):
            path = source_file(copy, room)
            files, line = appended(copy, path, f'#include "{outside}"')
            copy.finds(files, path, line, "outside", outside)
    copy.finds({"base/planted.h": '\n#include "tests/absent.h"\n'}, "base/planted.h", 2, "outside", "tests/absent.h")
    copy.finds({"base/planted.h": '#include "base/absent.h"\n'}, "base/planted.h", 1, "missing", "base/absent.h")
    copy.finds({"base/planted.h": "#include HEADER\n"}, "base/planted.h", 1, "missing", "must name")
    for generated in copy.rules.generated:
        copy.accepts({"base/planted.h": f'#include "{generated}"\n'})


def check_cycles(copy):
    def include(*names):
        return "#pragma once\n" + "".join(f'#include "base/{name}"\n' for name in names)

    copy.finds({"base/planted.h": include("planted.h")}, "base/planted.h", 2, "cycle",
               "base/planted.h -> base/planted.h")
    copy.finds({"base/cycle_a.h": include("planted.h", "cycle_b.h"), "base/cycle_b.h": include("cycle_a.h")},
               "base/cycle_a.h", 3, "cycle", "base/cycle_a.h -> base/cycle_b.h -> base/cycle_a.h")
    copy.finds({"base/cycle_a.h": include("cycle_b.h"), "base/cycle_b.h": include("planted.h", "cycle_c.h"),
                "base/cycle_c.h": '#include "cycle_a.h"\n'}, "base/cycle_a.h", 2, "cycle",
               "base/cycle_a.h -> base/cycle_b.h -> base/cycle_c.h -> base/cycle_a.h")
    # two ways to the same file are no cycle
    copy.accepts({"base/cycle_a.h": include("cycle_b.h", "cycle_c.h"), "base/cycle_b.h": include("planted.h"),
                  "base/cycle_c.h": include("cycle_b.h", "planted.h")})


def check_libraries(copy):
    planted = {
        "oneTBB": ("network/runtime/workers.cpp",
                   ["#include <oneapi/tbb/task_group.h>", "#include <tbb/task_group.h>", "tbb::task_group t;"]),
        "Boost.Graph": ("network/topology/planted.cpp", ["#include <boost/graph/breadth_first_search.hpp>"]),
        "toml++": ("core/scenario/planted.cpp", ["#include <toml++/toml.h>", "toml::table t;"]),
        "CLI11": ("cli/command_line.cpp", ["#include <CLI/CLI.hpp>", "CLI::App app;"]),
        "decompositions": ("base/decompositions.cpp", ["#include <Eigen/SVD>", "#include <Eigen/Dense>"]),
        "SQLite": ("core/sweep/planted.cpp", ["#include <sqlite3.h>", "sqlite3* opened;"]),
        "std::random": (None, ["#include <random>", "std::mt19937 e;", "mt19937_64 e;", "std::random_device d;",
                               "std::minstd_rand e;", "std::normal_distribution<> n;", "std::uniform_int_distribution<int> u;",
                               "std::linear_congruential_engine<int, 1, 2, 3> e;", "std::shuffle(a, b, e);", "int x = rand();",
                               "int x = std::rand();", "srand(1);", "double x = drand48();"]),
    }
    expect(set(planted) == {library.name for library in copy.rules.libraries}, "the planted libraries are not those of rooms.txt")
    for name, (home, lines) in planted.items():
        for line in lines:
            for path in ("network/planted.cpp", "core/algorithms/planted.cpp", "cli/planted.cpp", "base/planted.h"):
                copy.finds({path: f"// first\n{line}\n"}, path, 2, "library", f"{name} is allowed")
            if home:
                copy.accepts({home: line + "\n"})
            copy.accepts({"cli/planted.cpp": f'// {line}\nconst char* text = R"({line})";\n'})
    copy.accepts({"cli/planted.cpp": "operand(1); stream.shuffle(items); int strand = 1; // std::mt19937\n"})


def check_names(copy):
    for name, owner in copy.rules.owner.items():
        for room in copy.rules.direct:
            comparison = {f"{room}/planted.cpp": f'\nbool b = name == "{name}";\n'}
            if room == owner:
                copy.accepts(comparison)
            else:
                copy.finds(comparison, f"{room}/planted.cpp", 2, "name", f'"{name}" is a name that belongs to {owner}')
    name = next(iter(copy.rules.owner))
    path = "cli/planted.cpp"
    for line in (f'f("{name}"sv);', f'f(R"({name})");', f'f({{"x", "{name}", "y"}});', f'f(1\'000, \'"\', "{name}");',
                 f'f("//", "{name}");', f'f("\\"", "{name}");', f'/* x */ f("{name}"); // x'):
        copy.finds({path: f"/* a\n b */\n{line}\n"}, path, 3, "name", f'"{name}"')
    for line in (f'// "{name}"', f'/* x\n"{name}" */', f'f("the algorithm {name}");', f'f("{name}"\n" and others");',
                 f'f("see " /* x */ "{name}");', f'f("a \\"{name}\\"");', f'f(R"x("{name}")x");',
                 f"int {name.replace('-', '_')};"):
        copy.accepts({path: line + "\n"})


def check_rules_file(copy):
    text = (copy.folder / rooms.RULES_FILE).read_text(encoding="utf-8")

    def rejected(extra, message):
        try:
            rooms.Rules(text + extra)
            expect(False, f"accepted in rooms.txt: {extra}")
        except rooms.RulesError as error:
            expect(message in str(error), f"{extra}: {error}")

    rejected("core/x: core/y\n", "'core/y' is not a room")
    rejected("base: crypto\n", "listed twice")
    rejected("a: b\nb: a\n", "lead back")
    rejected("library x: y\n", "REGEX -> FILES")
    rejected("exception: base/x.h nothing\n", "one of the rules")
    rejected("names core/y: z\n", "is not a room")
    rejected("what is this\n", "not understood")
    # an exception silences one rule in one file; one that is not needed is a finding
    path, line = "base/planted.h", text.count("\n") + 1
    copy.write(path, '#include "cli/planted.h"\n')
    tree = rooms.Tree(copy.folder, rooms.Rules(text + f"exception: {path} arrow\n"))
    expect(rooms.check(tree) == copy.before, "an exception does not silence its finding")
    tree.rules = rooms.Rules(text + f"exception: {path} name\n")
    found = [f[:3] for f in rooms.check(tree) if f not in copy.before]
    expect(found == [(path, 1, "arrow"), (rooms.RULES_FILE, line, "exception")], f"exception for another rule: {found}")


def check_program(copy):
    """The script itself, with the violation that check_rules_file() left in the copy."""
    script = pathlib.Path(rooms.__file__)
    run = subprocess.run([sys.executable, script, copy.folder], capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    expect(run.returncode == 1, f"exit code {run.returncode} with a violation: {run.stderr}")
    expect("base/planted.h:1: base may not include cli: cli/planted.h [arrow]" in lines, "the message of a planted include")
    expect(lines[-1:] and lines[-1].startswith("rooms: ") and lines[-1].endswith(f", {len(lines) - 1} findings"), "the last line")
    for top in copy.rules.top_folders():
        shutil.rmtree(copy.folder / top)
    copy.write("base/planted.h", "#pragma once\n")
    run = subprocess.run([sys.executable, script, copy.folder], capture_output=True, text=True, check=False)
    expect((run.returncode, run.stdout) == (0, "rooms: 1 files, 0 includes, 0 findings\n"), f"without violations: {run}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(sys.argv[1], folder)
        for part in (check_arrows, check_places, check_cycles, check_libraries, check_names):
            part(copy)
        expect(rooms.check(copy.tree) == copy.before, "the restored copy has other findings than before")
        check_rules_file(copy)
        check_program(copy)
    for failure in failures[:20]:
        print(f"FAILED: {failure}")
    print(f"rooms_test: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
