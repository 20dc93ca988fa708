#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""documents.py PROJECT_DIR: what documents and sources promise about themselves.

- Every relative link of every Markdown file leads to a file, and to a heading where it names one.
- README.md has at most 150 lines and 10,000 bytes.
- Every source file says its license in one of its first three lines.
- The version is the same in CMakeLists.txt, CITATION.cff and the newest section of CHANGELOG.md, which has a date.
- Every piece of C++ in docs/extending.md is a piece of tests/extension/extension_test.cpp, which is compiled.
- Papers are cited by authors, never by a number.
Exit code 1 if something is wrong.
"""
import pathlib
import re
import subprocess
import sys

LICENSE = "SPDX-License-Identifier: MIT"
SOURCES = {".cpp", ".h", ".mjs", ".py", ".sh", ".cmake"}
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def tracked(project):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=project, check=True,
                            capture_output=True, text=True)
    return [project / name for name in listed.stdout.split("\0") if name and (project / name).is_file()]


def anchors(text):
    """The names that headings get: lower case, blanks to dashes, no punctuation."""
    for heading in re.findall(r"^#+ +(.*)$", CODE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def check_links(project, file):
    text = file.read_text(encoding="utf-8")
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", CODE.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (file.parent / path).resolve() if path else file
        if not goal.exists():
            yield f"{file.relative_to(project)}: the link to {target} leads nowhere"
        elif anchor and anchor not in anchors(goal.read_text(encoding="utf-8")):
            yield f"{file.relative_to(project)}: {target}: there is no such heading"


def is_source(file):
    if file.suffix in SOURCES or file.name == "CMakeLists.txt":
        return True
    return not file.suffix and file.read_bytes()[:2] == b"#!"


def check_version(project):
    version = re.search(r"project\(sotto VERSION ([\d.]+)", (project / "CMakeLists.txt").read_text())[1]
    cited = re.search(r"^version: *\"?([\d.]+)", (project / "CITATION.cff").read_text(), re.MULTILINE)
    if not cited or cited[1] != version:
        yield f"CITATION.cff: the version is not {version}"
    newest = re.search(r"^## (?!Unreleased)(.*)$", (project / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not newest or not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", newest[1]):
        yield f"CHANGELOG.md: the newest section is not '{version} (a date)'"


def check_examples(project):
    source = (project / "tests/extension/extension_test.cpp").read_text(encoding="utf-8")
    for example in re.findall(r"^```cpp\n(.*?)^```", (project / "docs/extending.md").read_text(encoding="utf-8"),
                              re.MULTILINE | re.DOTALL):
        if example not in source:
            yield f"docs/extending.md: not in tests/extension/extension_test.cpp: {example.splitlines()[0]}"


def problems(project):
    files = tracked(project)
    for file in files:
        if file.suffix == ".md":
            yield from check_links(project, file)
        if is_source(file) and LICENSE not in "".join(file.read_text(encoding="utf-8").splitlines(True)[:3]):
            yield f"{file.relative_to(project)}: none of the first three lines says '{LICENSE}'"
        if file.suffix in SOURCES | {".md", ".toml"} and re.search(r"\bpaper 0\d\d\b", file.read_text(encoding="utf-8")):
            yield f"{file.relative_to(project)}: cites a paper by a number"
    readme = (project / "README.md").read_text(encoding="utf-8")
    if len(readme.splitlines()) > 150 or len(readme.encode()) > 10000:
        yield f"README.md has {len(readme.splitlines())} lines and {len(readme.encode())} bytes: at most 150 and 10000"
    yield from check_version(project)
    yield from check_examples(project)


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    sys.exit(1 if found else 0)
