# SPDX-License-Identifier: MIT
# Documents are true: reference pages are those that the program prints, scenarios that are named exist, commands that are
# shown run.
. "$2/tests/support/cli.sh"
for page in settings:scenario-reference commands:cli outputs:outputs; do
  "$sotto" docs "${page%%:*}" >page.md || fail "docs ${page%%:*}"
  diff page.md "$project/docs/${page##*:}.md" || fail "docs/${page##*:}.md is not what the program prints: run 'make docs'"
done
documents() { find "$project/docs" "$project/README.md" "$project/CONTRIBUTING.md" -name '*.md'; }
for file in $(documents | xargs grep -oh 'scenarios/[a-z0-9-]*\.toml' | sort -u); do
  [ -f "$project/$file" ] || fail "a document names $file, which is not there"
done
# every block of shell commands of README and tutorial, in a folder that has what a clone has
for document in README.md docs/tutorial.md; do
  folder=$work/$(basename "$document" .md)
  mkdir -p "$folder/bin"
  ln -s "$sotto" "$folder/bin/sotto"
  ln -s "$project/tools" "$project/scenarios" "$folder/"
  sed -n '/^```sh$/,/^```$/p' "$project/$document" | grep -v '^```' >"$folder/commands.sh"
  [ -s "$folder/commands.sh" ] || fail "$document has no commands"
  (cd "$folder" && PATH=$folder/bin:/usr/bin:/bin bash -eu commands.sh >output.txt 2>&1 </dev/null) ||
    fail "commands of $document: $(tail -5 "$folder/output.txt")"
done
"$sotto" info | grep -q '^algorithms  ppdnmf' || fail "info"
# its one-line readers of a sweep's files read one
cat >sweep.toml <<'TOML'
[data]
held_out = 20
[algorithm]
outer_iterations = 6
stop = "never"
[sweep]
"exchange.quantization" = [10, 1000, 100000]
trials = [2, 3]
[[method]]
name = "centralized"
set = { "algorithm.name" = "centralized", "algorithm.outer_iterations" = 3 }
TOML
"$sotto" sweep sweep.toml --quiet --out DIR || fail "sweep"
reader() { sed -n "/<!-- readers -->/,/<!-- end of readers -->/s/^    $1: //p" "$project/docs/guide.md"; }
for language in pandas R gnuplot; do [ -n "$(reader $language)" ] || fail "docs/guide.md has no reader for $language"; done
python=/usr/bin/python3
if "$python" -c 'import pandas' 2>/dev/null; then
  { echo 'import pandas, json'; echo "table = $(reader pandas)"; cat <<'PYTHON'
summary = json.load(open("DIR/summary.json"))
for result in summary["results"]:
    ours = result["methods"]["corrected"]["gap_percent"]["mean"]
    theirs = table[(result["set"]["exchange.quantization"], result["set"]["trials"])]
    assert abs(ours - theirs) <= 1e-12 * abs(ours), (ours, theirs)
assert len(table) == 6
curves = pandas.read_csv("DIR/curves.csv")
assert len(curves) == 6 * (6 + 3) and curves["nmse_mean_x"].notna().all() and curves["count"].isin([2, 3]).all()
timings = pandas.read_csv("DIR/timings.csv")
assert (timings.wall_seconds > 0).all() and len(timings) == len(pandas.read_csv("DIR/sweep.csv")) == 30
PYTHON
  } >read.py
  "$python" read.py || fail "pandas reads something else"
else
  echo "skipped: python3-pandas is not installed"
fi
if command -v Rscript >/dev/null; then Rscript -e "print($(reader R))" >/dev/null || fail "R"; else echo "skipped: R is not installed"; fi
if command -v gnuplot >/dev/null; then
  gnuplot -e "set terminal dumb; set output 'plot.txt'; $(reader gnuplot)" 2>gnuplot.txt || fail "gnuplot: $(cat gnuplot.txt)"
  grep -q '[A*+]' plot.txt || fail "gnuplot draws nothing"
else
  echo "skipped: gnuplot is not installed"
fi
"$project/tools/plot-sweep" DIR plot.svg || fail "plot-sweep"
grep -q '<svg' plot.svg || fail "plot-sweep draws nothing"
finish
