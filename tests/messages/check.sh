#!/bin/bash
# check.sh SOURCE COMPILER ARGUMENTS...: SOURCE must not compile, and the compiler must write all texts that its "says:" lines name.
set -u
source=$1
shift
if output=$("$@" -fsyntax-only "$source" 2>&1); then
  echo "$source compiles"
  exit 1
fi
missing=0
while read -r text; do
  if ! grep -qF -- "$text" <<<"$output"; then
    echo "the compiler does not write: $text"
    missing=1
  fi
done < <(sed -n 's|^// says: ||p' "$source")
exit $missing
