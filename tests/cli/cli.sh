#!/usr/bin/env bash
# The command line as a user walks through it: a table, a new model, training, evaluation, predictions, conversion.
# usage: cli.sh ANTLER
set -euo pipefail
antler=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*" >&2; exit 1; }

# Two kinds of point that a small network tells apart, with a category, a quoted field and a missing number.
awk 'BEGIN {
  srand(7); print "size,\"the colour\",kind"
  for (i = 0; i < 300; ++i) {
    big = i % 2; size = rand() + (big ? 2 : 0); colour = rand() < 0.5 ? "red" : "dark, blue"
    printf "%s,\"%s\",%s\n", i == 17 ? "" : size, colour, big ? "large" : "small"
  }
}' > data.csv

"$antler" new model.keras data.csv --target kind > new.txt
grep -q 'target kind: 2 classes' new.txt || fail "new does not name the classes"
"$antler" fit model.keras data.csv --epochs 30 --seed 1 --out trained.keras --history history.json --json \
  --callback early_stopping:monitor=loss,patience=5 --log-dir logs > fit.json
grep -q '"loss"' fit.json || fail "fit --json has no loss: $(cat fit.json)"
grep -q '"accuracy"' history.json || fail "the history has no accuracy"
ls logs/train/events.out.tfevents.* > /dev/null || fail "no event file"
accuracy=$("$antler" evaluate trained.keras data.csv --json | sed 's/.*"accuracy":\([0-9.]*\).*/\1/')
awk -v a="$accuracy" 'BEGIN { exit !(a > 0.95) }' || fail "accuracy $accuracy"

printf 'size,"the colour"\n0.2,red\n2.7,"dark, blue"\n' > new.csv
"$antler" predict trained.keras new.csv --top-k 1 > predicted.csv
[ "$(cut -d, -f1 predicted.csv | tr '\n' ' ')" = 'class_1 small large ' ] || fail "predicted $(cat predicted.csv)"

# Training goes on where it stopped, and weights survive every format.
"$antler" fit trained.keras data.csv --initial-epoch 30 --epochs 31 --verbose 0 --out again.keras > /dev/null
for format in weights.h5 npz safetensors; do
  "$antler" convert trained.keras "w.$format"
  "$antler" convert model.keras back.keras --weights "w.$format"
  cp trained.keras.data.json back.keras.data.json
  "$antler" predict back.keras new.csv > back.csv
  "$antler" predict trained.keras new.csv | cmp -s - back.csv || fail "weights by $format differ"
done
"$antler" summary trained.keras > summary.txt
grep -q 'Total params' summary.txt || fail "summary"

# Mistakes: an exit code, a message that says what to do, and no file.
expect_error() {
  local code=$1 text=$2 rc=0
  shift 2
  "$antler" "$@" > out.txt 2> err.txt || rc=$?
  [ "$rc" -eq "$code" ] || fail "antler $*: exit code $rc, not $code"
  grep -q -- "$text" err.txt out.txt || fail "antler $*: $(cat err.txt)"
}
expect_error 1 "no column 'none'" new other.keras data.csv --target none
expect_error 1 "There is no callback 'no_such'" fit model.keras data.csv --out x.keras --callback no_such
expect_error 1 "has no option 'rate'" fit model.keras data.csv --out x.keras --loss mse --optimizer adam:rate=1
expect_error 1 "File not found" predict missing.keras data.csv
expect_error 2 "required" fit model.keras data.csv
head -c 1000 trained.keras > cut.keras
expect_error 1 "cut.keras" summary cut.keras
[ ! -e x.keras ] && [ ! -e other.keras ] || fail "a failed command left a file"
echo "command line: fine"
