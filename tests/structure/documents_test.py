#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""documents_test.py PROJECT_DIR: documents.py finds one planted violation of every kind, and nothing where there is none."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import documents

SOUND = {
    "README.md": "# Title\n[there](docs/page.md#a-heading) [self](#title)\n```\n[not a link](nowhere.md)\n```\n",
    "docs/page.md": "## A heading\n[back](../README.md)\n",
    "CMakeLists.txt": f"# {documents.LICENSE}\nproject(sotto VERSION 1.2.3 LANGUAGES CXX)\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\n",
    "CHANGELOG.md": "# Changelog\n## Unreleased\n## 1.2.3 (2026-01-01)\n",
    "core/a.cpp": f"// {documents.LICENSE}\nint a;\n",
    "docs/extending.md": "```cpp\nint a;\n```\n",
    "tests/extension/extension_test.cpp": f"// {documents.LICENSE}\nint a;\n",
    "tools/run": f"#!/bin/sh\n# {documents.LICENSE}\n",
}
PLANTED = {
    "leads nowhere": {"docs/page.md": "[lost](lost.md)\n"},
    "no such heading": {"README.md": "# Title\n[there](docs/page.md#another)\n"},
    "README.md has 151 lines": {"README.md": "line\n" * 151},
    "and 10001 bytes": {"README.md": "x" * 10001},
    "core/a.cpp: none": {"core/a.cpp": "int a;\n"},
    "tools/run: none": {"tools/run": "#!/bin/sh\n"},
    "CITATION.cff: the version": {"CITATION.cff": "version: 1.2.4\n"},
    "newest section": {"CHANGELOG.md": "# Changelog\n## 1.2.3\n"},
    "not in tests/extension": {"docs/extending.md": "```cpp\nint b;\n```\n"},
    "cites a paper": {"docs/page.md": "## A heading\nsee paper 0" + "03\n"},
}


def found(changes):
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder).resolve()
        subprocess.run(["git", "init", "-q"], cwd=project, check=True)
        for name, text in (SOUND | changes).items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        return "\n".join(documents.problems(project))


assert found({}) == "", found({})
for expected, changes in PLANTED.items():
    text = found(changes)
    assert expected in text, f"'{expected}' was not found: {text}"
print(f"{len(PLANTED)} planted violations were found")
