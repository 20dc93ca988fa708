#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mirror.py PROJECT_DIR: the tests mirror the sources.

Every FOLDER/x.cpp of base, crypto, network and core has a tests/FOLDER/x_test.cpp, or names the files that test it in its
header (or in itself, if it has no header), in a comment of its own line:
    // Tests: tests/core/a_test.cpp, tests/core/b_test.cpp
Every tests/FOLDER/x_test.cpp without FOLDER/x.cpp or FOLDER/x.h has a comment in its first three lines that says what it
tests. Exit code 1 if something is missing.
"""
import pathlib
import re
import sys

FOLDERS = ("base", "crypto", "network", "core")
TESTS = re.compile(r"\s*///?\s*Tests:\s*(.*)")


def named_tests(file):
    """(line, path) of all tests that a source file names in its comments."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = TESTS.match(line)
        if match:
            for path in match[1].split(","):
                yield number, path.strip().rstrip(".")


def check_sources(project, folder):
    for source in sorted((project / folder).rglob("*.cpp")):
        if "node_modules" in source.parts:
            continue
        relative = source.relative_to(project)
        test = pathlib.Path("tests") / relative.with_name(source.stem + "_test.cpp")
        header = source.with_suffix(".h")
        speaker = header if header.exists() else source
        place = speaker.relative_to(project).as_posix()
        named = list(named_tests(speaker))
        for line, path in named:
            if not (path.startswith("tests/") and path.endswith((".cpp", ".sh")) and (project / path).is_file()):
                yield f"{place}:{line}: '{path}' is not a file of tests"
        if not named and not (project / test).is_file():
            yield f"{relative.as_posix()}:1: no {test.as_posix()}, and no '// Tests:' in {place}"


def check_tests(project, folder):
    for test in sorted((project / "tests" / folder).rglob("*_test.cpp")):
        relative = test.relative_to(project / "tests")
        source = project / relative.with_name(test.name[:-len("_test.cpp")] + ".cpp")
        if source.exists() or source.with_suffix(".h").exists():
            continue
        first = test.read_text(encoding="utf-8").splitlines()[:3]
        if not any(re.match(r"\s*(//|/\*)\s*\S", line) for line in first):
            yield f"tests/{relative.as_posix()}:1: tests no source of its name, and no comment says what it tests"


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    project = pathlib.Path(sys.argv[1])
    sources = sum(1 for folder in FOLDERS for _ in (project / folder).rglob("*.cpp"))
    missing = [line for folder in FOLDERS for check in (check_sources, check_tests) for line in check(project, folder)]
    print("\n".join(missing + [f"mirror: {sources} sources, {len(missing)} findings"]))
    return 1 if missing or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
