# SPDX-License-Identifier: MIT
# Sweeps of the whole program: the same bytes however they are run, and nothing lost whatever happens to them.
. "$2/tests/support/cli.sh"
small_scenario >base.toml
{
  cat base.toml
  cat <<'TOML'
[sweep]
"exchange.quantization" = [10, 1000, 100000]
"algorithm.penalty" = [0.1, "scale-free"]
TOML
} >s.toml
same() { # same DIR DIR: all files but timings.csv
  diff -rq -x timings.csv "$1" "$2" >diff.txt || fail "$1 and $2 differ: $(cat diff.txt)"
}
wait_for_points() { # wait_for_points DIR COUNT: until so many have their final name, however slow this build is
  while kill -0 "$pid" 2>/dev/null && [ "$(ls "$1/points" 2>/dev/null | grep -vc partial)" -lt "$2" ]; do sleep 0.02; done
}

# the same bytes for any number of jobs and threads, and each point is what `run` gives
"$sotto" sweep s.toml --quiet --jobs 1 --out one || fail "sweep"
"$sotto" sweep s.toml --quiet --jobs 2 --out two || fail "sweep --jobs 2"
"$sotto" sweep s.toml --quiet --jobs 3 --threads 2 --out three || fail "sweep --jobs 3 --threads 2"
same one two
same one three
[ "$(ls one | tr '\n' ' ')" = "curves.csv points state.sqlite summary.json sweep.csv timings.csv " ] || fail "files: $(ls -A one)"
"$sotto" run s.toml --quiet --set exchange.quantization=1000 --out run 2>err.txt || fail "run of a scenario with a sweep"
grep -q "has a \[sweep\]: this runs the scenario without it" err.txt && fail "--quiet says something"
"$sotto" run s.toml --set exchange.quantization=1000 --out run2 2>&1 >/dev/null | grep -q "without it" || fail "run does not say that it leaves the sweep out"
same run "one/points/$(sed 's/.*"scenario_hash": "\([0-9a-f]*\)".*/\1/;t;d' run/manifest.json)"
[ "$(wc -l <one/sweep.csv)" = $((1 + 6 * 3 * 4)) ] || fail "sweep.csv has a row per point, trial and method"

# a folder with a sweep: only --resume goes on; two at a time are refused, with who holds it
refuses 2 'this sweep is here already, 6 of 6 points done: --resume goes on' sweep s.toml --out one
refuses 2 'this folder holds a sweep' run base.toml --out one
"$sotto" sweep s.toml --quiet --resume --out one || fail "--resume of a complete sweep"
same one two
long="--set algorithm.outer_iterations=${SOTTO_ITERATIONS:-3000} --set output.metrics_every=100 --set trials=1"
"$sotto" sweep s.toml --quiet $long --jobs 1 --out undisturbed || fail "longer sweep"
"$sotto" sweep s.toml --quiet $long --out held &
pid=$!
wait_for_points held 1
"$sotto" sweep s.toml --quiet $long --resume --out held 2>err.txt  # not `refuses`: the other one goes on writing
[ $? = 2 ] || fail "a second sweep on the same folder"
grep -q "another run is writing to this folder: process $pid on " err.txt || fail "who holds it: $(cat err.txt)"

# SIGINT: 130 when running points have reached a boundary; they are saved, and gone on with
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || fail "exit code $code after SIGINT, not 130"
ls held/points/*.partial/checkpoint >/dev/null 2>&1 || fail "running points were not saved"
[ -e held/sweep.csv ] && fail "an export of an interrupted sweep"
"$sotto" compare held >compared.txt || fail "compare of an unfinished sweep"

# what changed is named, and nothing is touched
refuses 2 'algorithm.rank was 3, is 2' sweep s.toml $long --set algorithm.rank=2 --resume --out held
refuses 2 'sweep."exchange.quantization" was [10, 1000, 100000], is [10]' sweep s.toml $long --set 'sweep.exchange.quantization=[10]' --resume --out held
refuses 2 'is an axis of the sweep' sweep s.toml --set exchange.quantization=5 --out axis
"$sotto" sweep s.toml --quiet $long --resume --out held || fail "--resume after SIGINT"
same held undisturbed

# an input that changed
for k in 1 2 3 4 5 6 7 8; do echo "$k,2,3,1,$((k % 3))"; done >data.csv
cat >input.toml <<'TOML'
[topology]
generator = "ring"
agents = 3
[data]
source = "file"
file = "data.csv"
[algorithm]
rank = 2
outer_iterations = 4
stop = "never"
[sweep]
seed = [1, 2, 3]
TOML
"$sotto" sweep input.toml --quiet --out input || fail "sweep over a file"
cp -r input before
echo 1,1,1,1,1 >>data.csv
refuses 2 'the contents of data.csv changed' sweep input.toml --resume --out input
rm data.csv
refuses 2 'data.csv' sweep input.toml --resume --out input
diff -r input before || fail "a refused sweep changed something"
# a file that is missing fails its point alone; once it is there, the point is run
for k in 1 2 3 4 5 6 7 8; do echo "$k,2,3,1,$((k % 3))"; done >data.csv
sed 's/^seed = .*/"data.file" = ["data.csv", "more.csv"]/' input.toml >files.toml
"$sotto" sweep files.toml --quiet --out files 2>err.txt
[ $? = 4 ] || fail "a point without its file"
sed 's/3,1/1,3/' data.csv >more.csv
"$sotto" sweep files.toml --quiet --resume --out files || fail "--resume once the file is there"
"$sotto" sweep files.toml --quiet --out files-at-once || fail "sweep over files"
same files files-at-once
echo '# a comment' >>files.toml
refuses 2 'the contents of files.toml changed' sweep files.toml --resume --out files

# what was saved of a point is damaged: that is said, the point fails, and the next time it starts over
again="$long --set output.checkpoint_every=50 --set sweep.algorithm.penalty=[0.1]"
"$sotto" sweep s.toml --quiet $again --jobs 3 --out again 2>/dev/null &
pid=$!
while kill -0 $pid 2>/dev/null && [ -z "$(find again/points -name trial-0-method-0 2>/dev/null)" ]; do sleep 0.02; done
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "SIGINT once something was saved"
saved=$(find again/points -name trial-0-method-0 | head -1)
[ -n "$saved" ] || fail "nothing was saved"
echo junk >>"$saved"
"$sotto" sweep s.toml --quiet $again --resume --out again 2>err.txt
[ $? = 4 ] || fail "a damaged checkpoint"
grep -q 'is damaged: deleted, this part starts over the next time' err.txt || fail "damaged: $(cat err.txt)"
"$sotto" sweep s.toml --quiet $again --resume --out again || fail "the next time"
"$sotto" sweep s.toml --quiet $again --out at-once || fail "at once"
same again at-once

# a point that cannot be: it fails alone, with its reason
sed '/^\[\[method/,$d' base.toml >keys.toml
cat >>keys.toml <<'TOML'
[exchange]
scheme = "paillier"
max_abs = 1e6
quantization = 1e9
[sweep]
"exchange.key_bits" = [64, 128, 256]
TOML
short="--set algorithm.outer_iterations=3 --set trials=1"
"$sotto" sweep keys.toml $short --out keys >out.txt 2>err.txt
code=$?
[ $code = 4 ] || fail "exit code $code with a failed point, not 4"
grep -q 'point 0 (exchange.key_bits = 64) failed: .*64 bits have no room for one slot' err.txt || fail "no reason: $(cat err.txt)"
grep -q '2 of 3 points' out.txt || fail "the other points: $(cat out.txt)"
grep -q '"error":".*no room for one slot' keys/summary.json || fail "summary.json does not say why"
[ "$(wc -l <keys/sweep.csv)" = 3 ] || fail "sweep.csv has the points that are done"
cp -r keys failed
"$sotto" sweep keys.toml $short --quiet --resume --out keys 2>/dev/null
[ $? = 4 ] || fail "a failed point is tried again"
same keys failed
"$sotto" sweep keys.toml $short --dry-run >out.txt
[ $? = 4 ] || fail "--dry-run with an invalid point"
grep -q 'invalid .*key_bits = 64: .*no room' out.txt || fail "--dry-run: $(cat out.txt)"
"$sotto" sweep keys.toml $short --quiet --fail-fast --jobs 1 --set 'sweep.exchange.key_bits=[128, 64, 256]' --out fast 2>err.txt
code=$?
[ $code = 4 ] || fail "exit code $code with --fail-fast, not 4"
grep -q 'stopped at the first failure' err.txt || fail "--fail-fast: $(cat err.txt)"
refuses 2 'have no room for one slot' sweep keys.toml $short --set 'sweep.exchange.key_bits=[64]' --out none
refuses 2 'points 0 and 1 are the same scenario' sweep keys.toml $short --set 'sweep.exchange.key_bits=[128, 128]' --out none
refuses 2 'sweep: is missing' sweep base.toml --out none

# no space: a clear error, what is done stays, and it goes on where there is room
if mkdir full && mount -t tmpfs -o size=1400k tmpfs full 2>/dev/null; then
  "$sotto" sweep s.toml --quiet --jobs 2 --out full/sweep 2>err.txt
  code=$?
  [ $code = 1 ] || fail "exit code $code on a full disk, not 1"
  grep -Eq 'cannot write .*(No space left|disk is full)' err.txt || fail "full disk: $(cat err.txt)"
  [ -e full/sweep/summary.json ] && fail "the sweep fits: this tests nothing"
  "$sotto" sweep s.toml --quiet --jobs 2 --resume --out full/sweep 2>err.txt && fail "there is still no room"
  for point in full/sweep/points/*; do
    case $point in *.partial) continue ;; esac
    same "$point" "one/points/$(basename "$point")"
  done
  [ "$(ls full/sweep/points | grep -vc partial)" -ge 1 ] || fail "nothing was kept on a full disk"
  mount -o remount,size=20m full
  "$sotto" sweep s.toml --quiet --resume --out full/sweep || fail "--resume where there is room again"
  same full/sweep one
  # and where nothing may be written at all
  rm -rf full/sweep/sweep.csv
  mount -o remount,ro full
  refuses 2 'cannot be an output folder: Read-only file system' sweep s.toml --resume --out full/sweep
  refuses 2 'cannot be an output folder' sweep s.toml --out full/other
  "$sotto" compare full/sweep >/dev/null || fail "compare in a read-only folder"
  umount full
else
  echo "skipped: the full and the read-only disk need to mount a tmpfs"
fi
if [ "$(id -u)" != 0 ]; then
  mkdir locked && chmod 555 locked
  refuses 2 'cannot be an output folder' sweep s.toml --out locked/sweep
fi

# SIGKILL at random moments
python3 "$project/tests/cli/sweep_kill.py" "$sotto" "${SOTTO_KILLS:-5}" || fail "SIGKILL"
finish
