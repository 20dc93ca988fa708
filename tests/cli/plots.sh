# SPDX-License-Identifier: MIT
# tools/plot-convergence fits its axes to the run, and names what it cannot draw.
. "$2/tests/support/cli.sh"
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is not installed"; exit 77; }
plot="$project/tools/plot-convergence"
small_scenario >s.toml
"$sotto" run s.toml --quiet --out run || fail "run"
"$plot" run run.svg 2>err.txt || fail "plot: $(cat err.txt)"
[ -s err.txt ] && fail "a run that can be drawn: $(cat err.txt)"
for method in corrected published centralized local; do grep -q ">$method<" run.svg || fail "$method is not drawn"; done
grep -q 'cannot be drawn' run.svg && fail "a note on a plot that needs none"
"$plot" run run.png && [ "$(head -c 4 run.png | tail -c 3)" = PNG ] || fail "no PNG"

# values of another size: the axes follow; zeros: no logarithm; the names of methods are taken literally
mkdir other
{ echo trial,method,phase,iteration,round,nmse_mean_x
  for k in 0 1 2 3 4; do echo "0,a_b,iterate,$k,$((10 + k)),$((5000 + 100 * k))"; done
  echo 0,level,iterate,3,0,5050
  echo 0,once,iterate,3,7,5050
  echo 0,without,iterate,3,9,
} >other/trace.csv
"$plot" other other.svg 2>err.txt || fail "plot: $(cat err.txt)"
grep -q 'once cannot be drawn: only one round was observed' err.txt || fail "stderr does not name once: $(cat err.txt)"
grep -q 'without cannot be drawn: it has no nmse_mean_x' err.txt || fail "stderr does not name without: $(cat err.txt)"
grep -q 'once cannot be drawn' other.svg && grep -q 'without cannot be drawn' other.svg || fail "no note on the plot"
grep -q '>a_b<' other.svg && grep -q '>level<' other.svg || fail "a curve or a level is missing"
grep -q '> *5400<' other.svg && grep -q '> *10.5<\|> *11<' other.svg || fail "the axes do not fit the data"
grep -q logarithmic other.svg && fail "a logarithmic axis over less than a factor of ten"
sed -i 's/^0,a_b,iterate,0,10,5000/0,a_b,iterate,0,10,0/' other/trace.csv
"$plot" other zero.svg 2>/dev/null || fail "a zero"
grep -q logarithmic zero.svg && fail "a logarithmic axis with a zero"
sed -i 's/^0,a_b,iterate,0,10,0/0,a_b,iterate,0,10,1/' other/trace.csv
"$plot" other wide.svg 2>/dev/null || fail "wide"
grep -q 'mean over trials (logarithmic)' wide.svg || fail "a factor of 5000 on a linear axis"
sed -i '/a_b/d' other/trace.csv
"$plot" other none.svg 2>err.txt && fail "draws nothing, and says nothing"
grep -q 'level cannot be drawn' err.txt && grep -q 'other: cannot be drawn: no method' err.txt || fail "nothing to draw: $(cat err.txt)"
[ -e none.svg ] && fail "an empty plot"
finish
