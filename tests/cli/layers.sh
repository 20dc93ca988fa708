# An include against the layers is a defect: base <- crypto, base <- network, (base, crypto, network) <- core <- cli.
. "$2/tests/support/cli.sh"

# against LAYER FORBIDDEN...: files of a layer that include from others
against() {
  local layer=$1
  shift
  grep -nE "#include \"($(IFS='|'; echo "$*"))/" -r "$tree/$layer" 2>/dev/null
}
check_tree() {
  tree=$1
  against base crypto network core cli tests
  against crypto network core cli tests
  against network crypto core cli tests
  against core cli tests
  against cli tests
  # one file names oneTBB, the topology files name Boost.Graph, and nothing draws random numbers on the side
  grep -rnE 'tbb' "$tree"/{base,crypto,network,core,cli} --include='*.h' --include='*.cpp' -il | grep -v 'network/runtime/workers.cpp' |
    xargs -r grep -nE '#include <(oneapi/)?tbb|tbb::'
  grep -rn 'boost/graph' "$tree"/{base,crypto,network,core,cli} | grep -v 'network/topology/'
  grep -rnE 'std::(rand|mt19937|random_device|uniform_|normal_distribution)|\brand\(' "$tree"/{base,crypto,network,core,cli} --include='*.h' --include='*.cpp'
}
found=$(check_tree "$project")
[ -z "$found" ] || fail "$found"

# the check itself can fail
cp -r "$project"/{base,crypto,network,core,cli} .
echo '#include "core/experiment/runner.h"' >>crypto/plain.cpp
[ -n "$(check_tree "$work")" ] || fail "a planted include was not found"
cp "$project/crypto/plain.cpp" crypto/plain.cpp
echo '#include <oneapi/tbb/task_group.h>' >>core/experiment/runner.cpp
[ -n "$(check_tree "$work")" ] || fail "a planted oneTBB was not found"
finish
