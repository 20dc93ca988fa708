# SPDX-License-Identifier: MIT
# Completion and the man page know every command and option.
. "$2/tests/support/cli.sh"
"$sotto" completion bash >sotto.bash || fail "completion bash"
"$sotto" completion zsh >_sotto || fail "completion zsh"
"$sotto" man >sotto.1 || fail "man"
"$sotto" --version | grep -Eq '^sotto [0-9]+\.[0-9]+\.[0-9]+ \(.+\)$' || fail "--version: $("$sotto" --version)"

complete_words() { # the last word is the one being completed
  bash --norc -c '. ./sotto.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sotto; printf "%s\n" "${COMPREPLY[@]}"' _ "$@"
}
expect() { # expect WORD ARGS...
  local word=$1
  shift
  complete_words "$@" | grep -qxF -- "$word" || fail "completing '$*' does not offer $word: $(complete_words "$@" | tr '\n' ' ')"
}
expect sweep sotto sw
expect --resume sotto sweep s.toml --re
expect --resume sotto run s.toml --re
expect exchange.quantization= sotto run s.toml --set exchange.q
expect generate sotto keys g
expect --kind sotto keys generate --k
touch a-file.toml
expect a-file.toml sotto run a-f
complete_words sotto compare --j | grep -q -- --jobs && fail "compare has no --jobs"

"$sotto" --help | awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }' >commands.txt
[ "$(wc -l <commands.txt)" -ge 10 ] || fail "commands: $(cat commands.txt)"
while read -r command; do
  grep -q "^.SS sotto $command" sotto.1 || fail "the man page lacks $command"
  grep -q "'$command:" _sotto || fail "zsh completion lacks $command"
  expect "$command" sotto "${command:0:2}"
done <commands.txt
for command in run sweep compare topo; do
  "$sotto" $command --help | grep -Eo -- '^ +--[a-z-]+' | tr -d ' ' | sort -u >options.txt
  while read -r option; do
    [ "$option" = --help ] || grep -qF -- "$(echo "$option" | sed 's/-/\\-/g')" sotto.1 || fail "the man page lacks $command $option"
    expect "$option" sotto $command "$option"
  done <options.txt
done
if command -v zsh >/dev/null; then
  zsh -n _sotto || fail "zsh does not take the script"
else
  echo "skipped: zsh is not installed"
fi
if command -v groff >/dev/null; then
  warnings=$(groff -man -Tutf8 -ww -z sotto.1 2>&1)
  [ -z "$warnings" ] || fail "groff: $warnings"
else
  echo "skipped: groff is not installed"
fi
finish
