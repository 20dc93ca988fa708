# SPDX-License-Identifier: MIT
# Killed, interrupted, out of space: nothing half-written under a final name, nothing lost, and the same command works
# afterwards.
. "$2/tests/support/cli.sh"
small_scenario >s.toml

same() { # same DIR DIR: all files but timings.csv
  diff -rq -x timings.csv "$1" "$2" >diff.txt || fail "$1 and $2 differ: $(cat diff.txt)"
}

# SIGINT and SIGTERM: 130 at the next boundary, saved; --resume goes on to the same bytes; without it nothing is touched
more="--quiet --set output.metrics_every=50 --set algorithm.outer_iterations=${SOTTO_ITERATIONS:-2000}"
"$sotto" run s.toml $more --out undisturbed || fail "run"
for signal in INT TERM; do
  "$sotto" run s.toml $more --out int 2>err.txt &
  pid=$!
  for _ in $(seq 1 1000); do [ -e int/.held-by ] && break || sleep 0.01; done
  sleep 0.1
  kill -$signal $pid
  wait $pid
  code=$?
  [ $code = 130 ] || fail "exit code $code after SIG$signal, not 130"
  grep -q 'saved in int: the same command with --resume goes on' err.txt || fail "SIG$signal: $(cat err.txt)"
  [ -e int/checkpoint ] || fail "nothing saved after SIG$signal"
  [ -e int/summary.json ] && fail "results of an interrupted run"
  refuses 2 'go on with --resume' run s.toml $more --out int
  refuses 2 'output.metrics_every was 50, is 51' run s.toml $more --set output.metrics_every=51 --resume --out int
  "$sotto" run s.toml $more --resume --out int || fail "--resume after SIG$signal"
  same int undisturbed
  [ "$("$sotto" run s.toml ${more#--quiet} --resume --out int)" = "int: complete already" ] || fail "--resume of what is complete"
  rm -rf int
done
"$sotto" run s.toml --quiet --resume --out afresh || fail "--resume where nothing is starts afresh"
refuses 2 'cannot go on' run s.toml --set entropy=os --resume --out os

# SIGKILL of a run with checkpoints: --resume goes on from the last of them
"$sotto" run s.toml $more --set output.checkpoint_every=100 --out checkpointed || fail "run with checkpoints"
for k in $(seq 1 8); do
  "$sotto" run s.toml $more --set output.checkpoint_every=100 --resume --out killed-often 2>err.txt &
  pid=$!
  sleep "0.$((k * 11))"
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
done
"$sotto" run s.toml $more --set output.checkpoint_every=100 --resume --out killed-often || fail "--resume after kills"
same killed-often checkpointed

# SIGKILL at any moment: whatever has its final name is whole
"$sotto" run s.toml --quiet --out whole || fail "run"
for k in $(seq 1 "${SOTTO_KILL_STEP:-1}" 25); do
  "$sotto" run s.toml --quiet --out killed >/dev/null 2>&1 &
  pid=$!
  sleep "0.$(printf '%02d' $((k * 2)))"
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  for file in killed/*; do
    name=$(basename "$file")
    case $name in *.partial | timings.csv | '*') continue ;; esac
    cmp -s "$file" "whole/$name" || fail "kill $k: $name is not whole"
  done
done
"$sotto" run s.toml --quiet --out killed || fail "the same command after kills"
ls killed | grep -q partial && fail "temporary files left: $(ls killed)"
cmp killed/trace.csv whole/trace.csv || fail "trace.csv after kills"

# no space: an error that says so, no file under any name
if mkdir full && mount -t tmpfs -o size=16k tmpfs full 2>/dev/null; then
  "$sotto" run s.toml --quiet --out full/run 2>err.txt
  code=$?
  [ $code = 1 ] || fail "exit code $code on a full disk, not 1"
  grep -q 'No space left' err.txt || fail "full disk: $(cat err.txt)"
  [ -z "$(ls -A full/run 2>/dev/null)" ] || fail "files left on a full disk: $(ls full/run)"
  umount full
else
  echo "skipped: the full-disk check needs to mount a tmpfs"
fi

# an exit code for what did not converge
"$sotto" run s.toml --quiet --strict --set 'algorithm.stop={ tolerance = 1e-9, dwell = 5 }' --out strict 2>err.txt
[ $? = 3 ] || fail "--strict does not exit with 3"
grep -q 'did not converge' err.txt || fail "--strict does not say why"
"$sotto" run s.toml --quiet --strict --resume --set 'algorithm.stop={ tolerance = 1e-9, dwell = 5 }' --out strict 2>err.txt
[ $? = 3 ] || fail "--strict --resume of what is complete does not exit with 3"

small_scenario | sed '/\[\[method\]\]/,$d' >one.toml
"$sotto" run one.toml --quiet --strict --set algorithm.name=local --set 'algorithm.stop={ dwell = 5 }' --out strict2 ||
  fail "--strict asks local for what it does not have"

# progress where stderr is no terminal: a line now and then, with an estimate
timeout -s KILL 8 "$sotto" run s.toml --set algorithm.outer_iterations=1000000 --out progress 2>err.txt
grep -Eq '^[0-9]+ of 3 trials done, [0-9]+ %; trial [0-9]+: .* about .* left$' err.txt || fail "no progress: $(cat err.txt)"
finish
