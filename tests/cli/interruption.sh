# Killed, interrupted, out of space: nothing half-written under a final name, and the same command works afterwards.
. "$2/tests/support/cli.sh"
small_scenario >s.toml
long="--set algorithm.outer_iterations=1000000 --quiet"

# SIGINT: 130 at the next boundary, no folder left
"$sotto" run s.toml $long --out int &
pid=$!
for _ in $(seq 1 200); do [ -e int ] && break || sleep 0.1; done
sleep 0.5
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || fail "exit code $code after SIGINT, not 130"
[ -e int ] && fail "a folder was left behind by an interrupted run"

# SIGKILL at any moment: whatever has its final name is whole
"$sotto" run s.toml --quiet --out whole || fail "run"
for k in $(seq 1 25); do
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
  [ -z "$(ls full/run 2>/dev/null)" ] || fail "files left on a full disk: $(ls full/run)"
  umount full
else
  echo "skipped: the full-disk check needs to mount a tmpfs"
fi

# an exit code for what did not converge
"$sotto" run s.toml --quiet --strict --set 'algorithm.stop={ tolerance = 1e-9, dwell = 5 }' --out strict 2>err.txt
[ $? = 3 ] || fail "--strict does not exit with 3"
grep -q 'did not converge' err.txt || fail "--strict does not say why"

small_scenario | sed '/\[\[method\]\]/,$d' >one.toml
"$sotto" run one.toml --quiet --strict --set algorithm.name=local --set 'algorithm.stop={ dwell = 5 }' --out strict2 ||
  fail "--strict asks local for what it does not have"

# progress where stderr is no terminal: a line now and then, with an estimate
timeout 8 "$sotto" run s.toml --set algorithm.outer_iterations=1000000 --out progress 2>err.txt
grep -Eq '^[0-9]+ of 3 trials done, [0-9]+ %; trial [0-9]+: .* about .* left$' err.txt || fail "no progress: $(cat err.txt)"
finish
