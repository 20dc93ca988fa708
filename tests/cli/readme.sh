# The README's list of keys is the program's own, and its scenario files exist.
. "$2/tests/support/cli.sh"
"$sotto" info --keys >keys.md || fail "info --keys"
sed -n '/<!-- keys -->/,/<!-- end of keys -->/p' "$project/README.md" | grep '^|' >readme.md
diff keys.md readme.md || fail "the keys in README.md are not those of the program: paste the output of 'sotto info --keys'"
for file in $(grep -o 'scenarios/[a-z0-9-]*\.toml' "$project/README.md" | sort -u); do
  [ -f "$project/$file" ] || fail "README.md names $file, which is not there"
done
"$sotto" info | grep -q '^algorithms  ppdnmf' || fail "info"
"$sotto" --version | grep -qE '^sotto [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version"
finish
