# SPDX-License-Identifier: MIT
# What is missing is named with its reason before anything is installed; every package has a reason.
. "$2/tests/support/cli.sh"
for list in "$project"/packages*.txt; do
  while read -r package sign reason; do
    [ "$sign" = "#" ] && [ -n "$reason" ] || fail "$list: no reason for $package"
  done < <(grep -v '^#' "$list")
done

# a machine without packages, on which installing is only written down
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
printf '#!/bin/sh\necho "apt-get $*"\necho "apt-get $*" >>"%s/calls.txt"\n' "$work" >bin/apt-get
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/*
export PATH="$work/bin:$PATH"
printf '# a list\nlibfirst-dev   # reads the first file\nsecond  # draws: a plot\n' >list.txt
touch calls.txt
SOTTO_NO_INSTALL=1 "$project/tools/install-packages" "$work/list.txt" >out.txt 2>err.txt && fail "nothing is missing"
grep -q '^  libfirst-dev  *reads the first file$' err.txt || fail "no reason: $(cat err.txt)"
grep -q '^  second  *draws: a plot$' err.txt || fail "no reason: $(cat err.txt)"
grep -q 'sudo apt-get install libfirst-dev second$' err.txt || fail "no command: $(cat err.txt)"
[ -s calls.txt ] && fail "installed in spite of SOTTO_NO_INSTALL: $(cat calls.txt)"
"$project/tools/install-packages" "$work/list.txt" >out.txt 2>&1 || fail "install: $(cat out.txt)"
grep -q ' install .*--no-install-recommends libfirst-dev second$' calls.txt || fail "installs something else: $(cat calls.txt)"
[ "$(sed -n '/^  second  *draws: a plot$/=' out.txt)" -lt "$(sed -n '/^apt-get update/=' out.txt)" ] || fail "installs before it says what: $(cat out.txt)"
printf '#!/bin/sh\nprintf "install ok installed"\n' >bin/dpkg-query
[ -z "$("$project/tools/install-packages" "$work/list.txt" 2>&1)" ] || fail "says something where nothing is missing"
finish
