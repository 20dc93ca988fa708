# The README's list of keys is the program's own, and its scenario files exist.
. "$2/tests/support/cli.sh"
"$sotto" info --keys >keys.md || fail "info --keys"
sed -n '/<!-- keys -->/,/<!-- end of keys -->/p' "$project/README.md" | grep '^|' >readme.md
diff keys.md readme.md || fail "the keys in README.md are not those of the program: paste the output of 'sotto info --keys'"
for file in $(grep -o 'scenarios/[a-z0-9-]*\.toml' "$project/README.md" | sort -u); do
  [ -f "$project/$file" ] || fail "README.md names $file, which is not there"
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
reader() { sed -n "/<!-- readers -->/,/<!-- end of readers -->/s/^    $1: //p" "$project/README.md"; }
for language in pandas R gnuplot; do [ -n "$(reader $language)" ] || fail "README.md has no reader for $language"; done
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
