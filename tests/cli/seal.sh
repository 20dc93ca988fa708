# SPDX-License-Identifier: MIT
# SEAL in child processes: killed, interrupted, missing. Nothing hangs, and no process is left behind.
. "$2/tests/support/cli.sh"
node "$project/crypto/seal/worker.mjs" </dev/null 2>/dev/null || { echo "skipped: Node.js with node-seal is not here (npm ci --prefix crypto/seal)"; exit 77; }
small_scenario | sed '/\[\[method\]\]/,$d' >s.toml
cat >>s.toml <<'TOML'
[exchange]
scheme = "bfv"
seal_engine = "node"
TOML
ln -s "$project/crypto/seal/worker.mjs" "worker-$$.mjs"
export SOTTO_SEAL_WORKER=$work/worker-$$.mjs # so that its processes can be told from others
export NODE_OPTIONS=--preserve-symlinks-main
ln -s "$project/crypto/seal/node_modules" node_modules
workers() { pgrep -f "$SOTTO_SEAL_WORKER"; }
wait_for_workers() { for _ in $(seq 1 600); do [ -n "$(workers)" ] && return || sleep 0.05; done; }
none_left() {
  for _ in $(seq 1 100); do [ -z "$(workers)" ] && return || sleep 0.05; done
  fail "$1: processes left behind: $(workers)"
}

"$sotto" run s.toml --quiet --set trials=1 --set algorithm.outer_iterations=3 --out short || fail "run"
none_left "a run"
grep -q '"computed by node-seal 6.0.3 (SEAL 4.1, Node ' short/summary.json || fail "which SEAL: $(cat short/summary.json)"
"$sotto" info | grep -q 'SEAL .*node-seal 6.0.3' || fail "info: $("$sotto" info)"

# a worker that is killed: an error that names it, within seconds, and nothing is left
long="--quiet --set trials=1 --set algorithm.outer_iterations=5000"
"$sotto" run s.toml $long --out killed 2>err.txt &
pid=$!
wait_for_workers
sleep 1
victim=$(workers | head -1)
kill -KILL "$victim"
( sleep 60; kill -KILL $pid ) >/dev/null 2>&1 &
guard=$!
wait $pid
code=$?
kill $guard 2>/dev/null
[ $code = 1 ] || fail "exit code $code after a worker was killed, not 1"
grep -q "SEAL worker [0-9]* (process $victim) was killed by signal 9" err.txt || fail "it is not named: $(cat err.txt)"
none_left "a killed worker"
[ -e killed/summary.json ] && fail "results of a run that failed"

# Ctrl-C goes to the whole group of a terminal: workers go on until the boundary is saved
set -m
"$sotto" run s.toml $long --out interrupted 2>err.txt &
pid=$!
set +m
wait_for_workers
sleep 1
kill -INT -- -$pid
wait $pid
code=$?
[ $code = 130 ] || fail "exit code $code after SIGINT, not 130: $(cat err.txt)"
none_left "SIGINT"
[ -e interrupted/checkpoint ] || fail "nothing saved"

# the program itself is killed: its workers see the end of their input
"$sotto" run s.toml $long --out gone 2>/dev/null &
pid=$!
wait_for_workers
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
none_left "SIGKILL of sotto"

# what is missing is said
SOTTO_SEAL_WORKER=$work/none/worker.mjs "$sotto" run s.toml --quiet --out missing 2>err.txt && fail "a worker that is not there"
grep -q 'npm ci --prefix' err.txt || fail "no advice: $(cat err.txt)"
PATH=/nowhere "$sotto" run s.toml --quiet --out missing 2>err.txt && fail "no node"
grep -q 'install nodejs' err.txt || fail "no advice without node: $(cat err.txt)"
finish
