#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rooms.py PROJECT_DIR [--graph]: checks the sources against the rooms and arrows of rooms.txt.

Findings are printed as FILE:LINE: MESSAGE [RULE]. The rules:
  arrow      an include of a room that the file's room may not include
  room       a source file, or an included file, that belongs to no room
  outside    the program includes a file of tests/ or bench/
  missing    a quoted include that names no file of the project
  cycle      files that include each other
  library    an outside library used in a file where it is not allowed
  name       a string literal that equals a name which belongs to another room
  exception  an exception in rooms.txt that is not needed
--graph prints the direct dependencies between rooms, with the number of includes, and checks nothing.
Exit code: 0 without findings, 1 with findings, 2 for an error in the arguments or in rooms.txt.
"""
import collections
import fnmatch
import os
import pathlib
import posixpath
import re
import sys

RULES = ("arrow", "room", "outside", "missing", "cycle", "library", "name")
RULES_FILE = "tests/structure/rooms.txt"
NOT_THE_PROGRAM = ("tests", "bench")
SUFFIXES = {".h", ".hh", ".hpp", ".inc", ".ipp", ".cc", ".cpp", ".cxx"}
Finding = collections.namedtuple("Finding", "file line rule message")
Include = collections.namedtuple("Include", "line path quoted")
Literal = collections.namedtuple("Literal", "line text")
Library = collections.namedtuple("Library", "name pattern files")


class RulesError(Exception):
    """rooms.txt cannot be used."""


class Rules:
    """The content of rooms.txt."""

    def __init__(self, text):
        self.direct = {}  # room -> rooms it lists
        self.generated = set()
        self.libraries = []
        self.owner = {}  # name -> room
        self.exceptions = {}  # (file, rule) -> line
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            if line and not line.startswith("#"):
                try:
                    self._read(number, line)
                except (RulesError, re.error) as error:
                    raise RulesError(f"{RULES_FILE}:{number}: {error}") from None
        self._check()
        self.allowed = {room: self._reachable(room) for room in self.direct}

    def _read(self, number, line):
        match = re.fullmatch(r"(library \S+|names \S+|\S+?):(?:\s+(.*))?", line)
        if not match:
            raise RulesError(f"not understood: {line}")
        head, rest = match[1].split(), match[2] or ""
        if head[0] == "library":
            pattern, arrow, files = rest.rpartition("->")
            if not arrow or not pattern.strip():
                raise RulesError("a library needs 'REGEX -> FILES'")
            self.libraries.append(Library(head[1], re.compile(pattern.strip()), files.split()))
        elif head[0] == "names":
            for name in rest.split():
                if name in self.owner:
                    raise RulesError(f"the name '{name}' is listed twice")
                self.owner[name] = head[1]
        elif head[0] == "generated":
            self.generated.update(rest.split())
        elif head[0] == "exception":
            words = rest.split()
            if len(words) != 2 or words[1] not in RULES:
                raise RulesError(f"an exception needs a file and one of the rules {' '.join(RULES)}")
            self.exceptions[tuple(words)] = number
        elif head[0] in self.direct:
            raise RulesError(f"the room {head[0]} is listed twice")
        else:
            self.direct[head[0]] = rest.split()

    def _check(self):
        if not self.direct:
            raise RulesError(f"{RULES_FILE}: no rooms")
        for room in [r for listed in self.direct.values() for r in listed] + list(self.owner.values()):
            if room not in self.direct:
                raise RulesError(f"{RULES_FILE}: '{room}' is not a room")
        for room in self.direct:
            if any(room in self._reachable(other) for other in self.direct[room]):
                raise RulesError(f"{RULES_FILE}: the arrows of {room} lead back to it")

    def _reachable(self, room):
        found, waiting = set(), [room]
        while waiting:
            current = waiting.pop()
            if current not in found:
                found.add(current)
                waiting.extend(self.direct[current])
        return found

    def room_of(self, path):
        """The room with the longest name that holds the file, or None."""
        folder = posixpath.dirname(path)
        while folder and folder not in self.direct:
            folder = posixpath.dirname(folder)
        return folder or None

    def top_folders(self):
        return sorted({room.split("/")[0] for room in self.direct})


# Numbers are tokens because of their digit separators: 1'000 opens no character literal.
TOKEN = re.compile(r'''(?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))
                     |(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\((?P<raw>.*?)\)(?P=mark)"
                     |"(?P<string>(?:\\.|[^"\\\n])*)"
                     |'(?:\\.|[^'\\\n])+'
                     |(?<!\w)\.?\d(?:[eEpP][+-]|'?[\w.])*
                     |(?P<include>\#[ \t]*include\b[ \t]*(?:"[^"\n]*"|<[^>\n]*>)?)''', re.S | re.X)
INCLUDE = re.compile(r'#\s*include\s*(?:"([^"]+)"|<([^>]+)>)?')


class Source:
    """What the checks need of one file: its includes, its string literals, and its code without comments and literals."""

    def __init__(self, text):
        self.includes, self.literals = [], []
        pieces, position, line = [], 0, 1
        previous_end = None  # end of the previous literal, for literals that the compiler joins
        joined = set()
        for token in TOKEN.finditer(text):
            between = text[position:token.start()]
            pieces.append(between)
            line += between.count("\n")
            whole = token[0]
            replacement = whole
            if previous_end is not None and between.strip():
                previous_end = None
            if token["include"] is not None:
                path = INCLUDE.match(whole)
                self.includes.append(Include(line, path[1] or path[2], path[1] is not None))
            elif token["comment"] is not None:
                replacement = " " + "\n" * whole.count("\n")
            elif token["raw"] is not None or token["string"] is not None:
                content = token["raw"] if token["raw"] is not None else token["string"]
                if previous_end is not None:
                    joined.update((len(self.literals) - 1, len(self.literals)))
                self.literals.append(Literal(line, content))
                replacement = '""' + "\n" * whole.count("\n")
                previous_end = token.end()
            if token["comment"] is None and replacement is whole:
                previous_end = None
            pieces.append(replacement)
            line += whole.count("\n")
            position = token.end()
        pieces.append(text[position:])
        self.literals = [literal for at, literal in enumerate(self.literals) if at not in joined]
        self.code = "".join(pieces)


class Tree:
    """The sources of a project, read once. put() replaces one in memory."""

    def __init__(self, project, rules):
        self.project, self.rules = pathlib.Path(project), rules
        self.sources, self._targets = {}, {}
        for top in rules.top_folders():
            for folder, folders, files in os.walk(self.project / top):
                folders[:] = [f for f in folders if f != "node_modules"]
                for file in files:
                    if os.path.splitext(file)[1] in SUFFIXES:
                        path = (pathlib.Path(folder) / file).relative_to(self.project).as_posix()
                        self.put(path, (self.project / path).read_text(encoding="utf-8"))

    def put(self, path, text):
        """Replaces the text of a file; None removes the file."""
        if (text is None) == (path in self.sources):  # another set of files: includes may name other files
            self._targets.clear()
        self._targets.pop(path, None)
        if text is None:
            del self.sources[path]
        else:
            self.sources[path] = Source(text)

    def exists(self, path):
        return path in self.sources or (self.project / path).is_file()

    def resolve(self, path, include):
        """The file of the project that an include names, or None: first beside the including file, then from the top."""
        if include.path is None:
            return None
        if include.quoted:
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), include.path))
            if not beside.startswith("..") and self.exists(beside):
                return beside
        named = posixpath.normpath(include.path)
        return named if not named.startswith(("..", "/")) and self.exists(named) else None

    def targets(self, path):
        """The included file, or None, for each include of a file."""
        if path not in self._targets:
            source = self.sources.get(path)
            self._targets[path] = [self.resolve(path, include) for include in source.includes] if source else []
        return self._targets[path]

    def edges(self):
        """(file, included file) for all includes of files of the project."""
        return ((path, target) for path in sorted(self.sources) for target in self.targets(path) if target is not None)


def check_include(tree, path, include, target):
    rules, room = tree.rules, tree.rules.room_of(path)
    if include.path is None:
        yield Finding(path, include.line, "missing", "an include must name its file")
        return
    if target is None:
        first = posixpath.normpath(include.path).lstrip("./").split("/")[0]
        if first in NOT_THE_PROGRAM and "/" in include.path:
            yield Finding(path, include.line, "outside", f"the program includes {include.path}")
        elif include.quoted and include.path not in rules.generated:
            yield Finding(path, include.line, "missing", f'no file of the project is called "{include.path}"')
        return
    if target.split("/")[0] in NOT_THE_PROGRAM:
        yield Finding(path, include.line, "outside", f"the program includes {target}")
        return
    owner = rules.room_of(target)
    if owner is None:
        yield Finding(path, include.line, "room", f"includes {target}, which belongs to no room")
    elif room is not None and owner not in rules.allowed[room]:
        yield Finding(path, include.line, "arrow", f"{room} may not include {owner}: {target}")


def check_libraries(tree, path):
    """One finding per file and line of rooms.txt, at the first use."""
    source = tree.sources[path]
    for library in tree.rules.libraries:
        if any(fnmatch.fnmatchcase(path, pattern) for pattern in library.files):
            continue
        matches = list(library.pattern.finditer(source.code))
        if matches:
            line = source.code.count("\n", 0, matches[0].start()) + 1
            where = f"only in {' '.join(library.files)}" if library.files else "nowhere"
            more = f" and {len(matches) - 1} more in this file" if len(matches) > 1 else ""
            yield Finding(path, line, "library", f"{library.name} is allowed {where}: {matches[0][0]}{more}")


def check_names(tree, path):
    room = tree.rules.room_of(path)
    for literal in tree.sources[path].literals:
        owner = tree.rules.owner.get(literal.text)
        if owner is not None and room != owner:
            yield Finding(path, literal.line, "name", f'"{literal.text}" is a name that belongs to {owner}')


def check_file(tree, path):
    if tree.rules.room_of(path) is None:
        yield Finding(path, 1, "room", "belongs to no room")
    for include, target in zip(tree.sources[path].includes, tree.targets(path)):
        yield from check_include(tree, path, include, target)
    yield from check_libraries(tree, path)
    yield from check_names(tree, path)


def shortest_cycle(tree, start):
    """The shortest path of includes from a file back to itself, or None."""
    came_from, waiting = {}, collections.deque([start])
    while waiting:
        current = waiting.popleft()
        for following in tree.targets(current):
            if following == start:
                path = [start]
                while current != start:
                    path.append(current)
                    current = came_from[current]
                return [start] + path[::-1]
            if following is not None and following not in came_from:
                came_from[following] = current
                waiting.append(following)
    return None


def in_cycles(tree):
    """Leaves out, again and again, files without includes and files that are not included: they are in no cycle."""
    remaining = set(tree.sources)
    while True:
        kept = {path for path in remaining if not remaining.isdisjoint(tree.targets(path))}
        kept &= {target for path in kept for target in tree.targets(path)}
        if kept == remaining:
            return remaining
        remaining = kept


def check_cycles(tree):
    """One finding per group of files that include each other: the shortest cycle of the first file in the alphabet."""
    reported = set()
    for path in sorted(in_cycles(tree)):
        cycle = None if path in reported else shortest_cycle(tree, path)
        if cycle and reported.isdisjoint(cycle):
            reported.update(cycle)
            line = tree.sources[path].includes[tree.targets(path).index(cycle[1])].line
            yield Finding(path, line, "cycle", "include cycle: " + " -> ".join(cycle))


def check(tree, paths=None):
    """All findings, or those in some files and all cycles."""
    found = []
    for path in sorted(tree.sources) if paths is None else paths:
        found.extend(check_file(tree, path))
    found.extend(check_cycles(tree))
    exceptions = tree.rules.exceptions
    used = {(f.file, f.rule) for f in found}
    found = [f for f in found if (f.file, f.rule) not in exceptions]
    if paths is None:
        for exception, line in exceptions.items():
            if exception not in used:
                found.append(Finding(RULES_FILE, line, "exception", f"not needed: {' '.join(exception)}"))
    return sorted(set(found))


def print_graph(tree):
    counts = collections.Counter()
    for path, target in tree.edges():
        pair = tree.rules.room_of(path), tree.rules.room_of(target)
        if pair[0] != pair[1]:
            counts[pair] += 1
    for room in [*tree.rules.direct, None]:
        named = [(other, n) for (here, other), n in sorted(counts.items(), key=str) if here == room]
        if named:
            print(f"{room or '(no room)'}: " + ", ".join(f"{other or '(no room)'} {n}" for other, n in named))


def main(arguments):
    options = [a for a in arguments if a.startswith("-")]
    folders = [a for a in arguments if not a.startswith("-")]
    if len(folders) != 1 or set(options) - {"--graph"}:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    project = pathlib.Path(folders[0])
    try:
        tree = Tree(project, Rules((project / RULES_FILE).read_text(encoding="utf-8")))
    except (RulesError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options:
        print_graph(tree)
        return 0
    findings = check(tree)
    for f in findings:
        print(f"{f.file}:{f.line}: {f.message} [{f.rule}]")
    includes = sum(1 for _ in tree.edges())
    print(f"rooms: {len(tree.sources)} files, {includes} includes, {len(findings)} findings")
    return 1 if findings or not tree.sources else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
