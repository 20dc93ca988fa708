# SPDX-License-Identifier: MIT
# A run timed again: byte for byte what a run under the new links would have written, and clear errors.
. "$2/tests/support/cli.sh"
small_scenario >s.toml
printf '0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 3\n' >graph.txt
timed="trace.csv agents.csv links.csv summary.json"

# same NAME FOLDER FOLDER: the files that depend on time agree
same() {
  for file in $timed; do cmp "$2/$file" "$3/$file" || fail "$1: $file"; done
}

"$sotto" run s.toml --quiet --set topology.file=graph.txt --out run || fail "run"
"$sotto" retime run/ >table.txt 2>err.txt || fail "retime: $(cat err.txt)"
folder=$(echo run-retimed-*)
[ -d "$folder" ] || fail "no folder beside the run: $(ls)"
grep -q "^written to $folder$" table.txt || fail "retime does not say where: $(cat table.txt)"
grep -q '^corrected ' table.txt || fail "retime prints no table"
same "unchanged settings" run "$folder"
[ "$(ls "$folder")" = "$(ls run | grep -v events.bin)" ] || fail "files of a retimed run: $(ls "$folder")"
grep -q '"retimed_from"' "$folder/manifest.json" || fail "the manifest does not say that it was timed again"

# the graph, the data and the machine's time are not needed again; each case against a run from the start
k=0
while read -r settings; do
  k=$((k + 1))
  mv graph.txt away.txt
  "$sotto" retime run --quiet --out "again$k" $settings || fail "retime $settings"
  mv away.txt graph.txt
  "$sotto" run s.toml --quiet --set topology.file=graph.txt --out "start$k" $settings || fail "run $settings"
  same "$settings" "again$k" "start$k"
  cmp -s "again$k/trace.csv" run/trace.csv && fail "$settings changed nothing"
done <<'CASES'
--set link.latency_ms=50
--set link.duplex=half --set link.bandwidth_mbit=0.5
--set link.loss=0.2
--set link.loss=0.1 --set link.duplex=half --set cost.flop=1e-7 --set cost.speed.slow=[2] --set cost.speed.factor=0.1
CASES

# with a dealer outside the graph, and figures of an application
pcr="$project/scenarios/pdsvd-pcr.toml"
"$sotto" run "$pcr" --quiet --trials 1 --set output.events=true --out dealt || fail "run pdsvd-pcr"
"$sotto" retime dealt --quiet --out dealt-again --set link.latency_ms=50 || fail "retime pdsvd-pcr"
"$sotto" run "$pcr" --quiet --trials 1 --set output.events=true --set link.latency_ms=50 --out dealt-start || fail "run pdsvd-pcr at 50 ms"
same "a dealer" dealt-again dealt-start

refuses 2 'only link and cost can be timed again' retime run --set seed=4
refuses 2 'link.loss: must be a number from 0 to 0.99' retime run --set link.loss=1
refuses 2 'there is no file "nowhere/manifest.json"' retime nowhere
refuses 2 'timed again itself' retime "$folder"
refuses 2 'DIR is required' retime
refuses 2 'results of another scenario' retime run --out run
refuses 2 'results of another scenario' run s.toml --set topology.file=graph.txt --out "$folder"
cp -r run broken
head -c 1000 run/events.bin >broken/events.bin
refuses 1 'broken/events.bin: a list of' retime broken
echo 'something else' >broken/events.bin
refuses 1 'broken/events.bin: ' retime broken
rm broken/events.bin
refuses 2 'there is no file "broken/events.bin"' retime broken
"$sotto" run s.toml --quiet --set output.events=false --out unrecorded || fail "run without events"
[ -e unrecorded/events.bin ] && fail "events.bin although output.events is false"
refuses 2 'output.events: was false' retime unrecorded
finish
