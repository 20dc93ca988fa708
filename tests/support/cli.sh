# SPDX-License-Identifier: MIT
# For the tests of the whole program. $1: the program, $2: the project's folder.
set -u
sotto=$1
project=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# refuses CODE "TEXT" ARGS...: exits with CODE, says TEXT on stderr, nothing on stdout, and leaves no file behind
refuses() {
  local code=$1 text=$2
  shift 2
  find . | sort >"$work/.before"
  "$sotto" "$@" >"$work/.stdout" 2>"$work/.stderr" </dev/null
  local got=$?
  find . | sort >"$work/.after"
  [ "$got" = "$code" ] || fail "$*: exit code $got, not $code"
  grep -qF -- "$text" "$work/.stderr" || fail "$*: stderr lacks '$text': $(cat "$work/.stderr")"
  [ -s "$work/.stdout" ] && fail "$*: wrote to stdout"
  diff <(grep -v '/\.' "$work/.before") <(grep -v '/\.' "$work/.after") >/dev/null || fail "$*: left files behind"
}

finish() {
  [ "$failures" = 0 ] || exit 1
  echo "all as it should be"
}

small_scenario() {
  cat <<'TOML'
name = "small"
seed = 3
trials = 3
[topology]
agents = 6
average_degree = 3
[data]
synthetic = { samples = 60, features = 12, rank = 3 }
split = { kind = "uniform", min = 4, max = 20 }
held_out = 20
[algorithm]
rank = 3
outer_iterations = 31
stop = "never"
[[method]]
name = "published"
set = { "algorithm.variant" = "published", "algorithm.right_factor" = "admm", "algorithm.inner_iterations" = 3 }
[[method]]
name = "centralized"
set = { "algorithm.name" = "centralized" }
[[method]]
name = "local"
set = { "algorithm.name" = "local" }
TOML
}
