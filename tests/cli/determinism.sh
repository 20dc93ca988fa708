# All output but timings.csv is byte-identical for 1, 2 and 8 threads and across repeated runs.
. "$2/tests/support/cli.sh"
small_scenario >s.toml
run() { "$sotto" run s.toml --quiet --set output.factors=true --set output.transcript=true --out "$1" --threads "$2" || fail "run $1"; }
run one 1
run two 2
run eight 8
run again 2
[ "$(ls one | wc -l)" = 9 ] || fail "expected 9 files: $(ls one)"
for other in two eight again; do
  for file in one/*; do
    name=$(basename "$file")
    [ "$name" = timings.csv ] && continue
    cmp "$file" "$other/$name" || fail "$other/$name differs"
  done
done
[ "$(wc -l <one/timings.csv)" = 13 ] || fail "timings.csv has a row per trial and method"
finish
