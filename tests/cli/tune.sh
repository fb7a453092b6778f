#!/usr/bin/env bash
# Searches for hyperparameters, and comparisons of training runs.
# usage: tune.sh ANTLER
set -euo pipefail
antler=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*" >&2; exit 1; }
expect_error() {
  local code=$1 text=$2 rc=0
  shift 2
  "$antler" "$@" > out.txt 2> err.txt || rc=$?
  [ "$rc" -eq "$code" ] || fail "antler $*: exit code $rc, not $code: $(cat err.txt)"
  grep -q -- "$text" err.txt out.txt || fail "antler $*: $(cat err.txt)"
}
# field NAME: the numbers of this name in lines of JSON.
field() { grep -o "\"$1\":[-0-9.e+]*" | cut -d: -f2; }
# The results of a search without times, in the order of the trials.
results() { sed 's/,"seconds":.*//' "$1/trials.jsonl" | sort; }

# y = 3 a - 2 b.
awk 'BEGIN { srand(3); print "a,b,y"; for (i = 0; i < 80; ++i) { a = rand(); b = rand(); print a "," b "," 3 * a - 2 * b } }' > data.csv
{ head -n 1 data.csv; tail -n 20 data.csv; } > val.csv
"$antler" new model.keras data.csv --units 4 --seed 1 > /dev/null

# Random search, two trials at a time. The best model is that of the best epoch.
search=(tune model.keras data.csv --validation-data val.csv --trials 4 --epochs 2 --seed 5 --batch-size 8
  --space learning_rate=log:1e-3:1e-1 --space optimizer=choice:sgd,adamw --space optimizer.weight_decay=choice:0.001,0.01
  --space optimizer.momentum=0.5)
"$antler" "${search[@]}" --workers 2 > tune.txt
[ "$(wc -l < best.keras.tune/trials.jsonl)" -eq 4 ] || fail "trials: $(cat tune.txt)"
awk '/^trial +val_loss/ { table = 1; next } table && $1 ~ /^[0-9]+$/ { if (n && $2 < last) bad = 1; last = $2; ++n } END { exit bad || n != 4 }' tune.txt ||
  fail "the table is not sorted: $(cat tune.txt)"
grep '"optimizer":"sgd"' best.keras.tune/trials.jsonl | grep -q '"optimizer.momentum":0.5' || fail "no option of an optimizer"
grep '"optimizer":"adamw"' best.keras.tune/trials.jsonl | grep -q momentum && fail "adamw has no momentum"
best=$(field score < best.keras.tune/trials.jsonl | sort -g | head -n 1)
loss=$("$antler" evaluate best.keras val.csv --json | field loss)
awk -v a="$best" -v b="$loss" 'BEGIN { exit !((a - b)^2 < 1e-10) }' || fail "the best loss is $best, that of the best model $loss"
[ "$(find best.keras.tune -name '*.keras' | wc -l)" -eq 1 ] || fail "models of other trials were kept: $(ls best.keras.tune)"
expect_error 1 "has an earlier search: continue with --resume" "${search[@]}"

# Ctrl-C keeps the trials that have ended; --resume gives the same result as an uninterrupted search, even if the last line is
# damaged.
set -m
"$antler" "${search[@]}" --out cut.keras > cut.txt 2>&1 &
set +m
until [ -s cut.keras.tune/trials.jsonl ]; do sleep 0.01; done
kill -INT $!; rc=0; wait $! || rc=$?
[ "$rc" -eq 130 ] && grep -q -- '--resume$' cut.txt || fail "exit code $rc after Ctrl-C: $(cat cut.txt)"
[ -e cut.keras ] && [ -e cut.keras.data.json ] || fail "Ctrl-C lost the best model"
[ "$(wc -l < cut.keras.tune/trials.jsonl)" -lt 4 ] || fail "Ctrl-C did not end the search"
printf '{"trial":3,"sta' >> cut.keras.tune/trials.jsonl
"$antler" "${search[@]}" --out cut.keras --resume --json > cut.json
[ "$(results cut.keras.tune)" = "$(results best.keras.tune)" ] || fail "a resumed search differs: $(results cut.keras.tune)"
cmp -s cut.keras.tune/search.json best.keras.tune/search.json || fail "the settings of the search changed"
grep -q '"objective":"val_loss","mode":"min","seed":5,"best":{' cut.json || fail "--json: $(cat cut.json)"
expect_error 1 'has different settings: space was ' "${search[@]}" --resume --space loss=mse

# Trials that diverge or fail do not end the search, unless the same error repeats.
"$antler" tune model.keras data.csv --out nan.keras --trials 2 --epochs 1 --seed 2 --space learning_rate=choice:0.01,1e18 \
  --optimizer sgd > nan.txt
grep -q '^1 *diverged\|^0 *diverged' nan.txt && grep -q 'saved: nan.keras' nan.txt || fail "a trial that diverges: $(cat nan.txt)"
expect_error 1 "three trials in a row failed with the same error" tune model.keras data.csv --out no.keras --target none --trials 9
[ "$(wc -l < no.keras.tune/trials.jsonl)" -eq 3 ] && [ ! -e no.keras ] || fail "a search where all fail: $(cat out.txt)"
grep -q "predicts 'y', not 'none'" err.txt || fail "no reason: $(cat err.txt)"

# Hyperband: the best of three one-epoch trials continues; then two trials of three epochs.
"$antler" tune model.keras data.csv --out band.keras --search hyperband --epochs 3 --seed 1 --workers 2 \
  --space learning_rate=log:1e-3:1e-1 > band.txt
[ "$(field epochs < band.keras.tune/trials.jsonl | sort | tr '\n' ' ')" = '1 1 1 3 3 3 ' ] || fail "brackets: $(cat band.txt)"
from=$(field from < band.keras.tune/trials.jsonl)
first=$(grep '"bracket":1,"round":0' band.keras.tune/trials.jsonl | sort -t: -k4 -g)
winner=$(while read -r line; do echo "$(field score <<< "$line") $(field trial <<< "$line")"; done <<< "$first" | sort -g | head -n 1)
[ "$from" = "${winner#* }" ] || fail "trial $from goes on, not ${winner#* }"
grep '"from"' band.keras.tune/trials.jsonl | grep -q '"initial_epoch":1,"epochs":3' || fail "it does not go on: $(cat band.txt)"

# Each trial has its own architecture; the objective is maximized.
awk -F, -v OFS=, 'NR > 1 { $3 = $3 > 0.5 ? "more" : "less" } { print }' data.csv > kinds.csv
"$antler" tune new kinds.csv --out new.keras --target y --trials 2 --epochs 1 --seed 4 --objective val_accuracy --space units=choice:3,5 \
  --space layers=int:1:2 --space kind=mlp --json > new.json
[ "$(field score < new.json)" = "$(field score < new.json | sort -gr)" ] || fail "ranking: $(cat new.json)"
grep -q '"mode":"max"' new.json && "$antler" predict new.keras kinds.csv > /dev/null || fail "a model of tune new: $(cat new.json)"

# Wrong spaces.
expect_error 1 "learning_rate=log:0:1: the logarithm needs a positive low end" tune model.keras data.csv --space learning_rate=log:0:1
expect_error 1 "1 is not below 1" tune model.keras data.csv --space learning_rate=float:1:1
expect_error 1 "Did you mean 'learning_rate'" tune model.keras data.csv --space learning_rte=0.1
expect_error 1 "batch_size: expected a positive integer, not 0" tune model.keras data.csv --space batch_size=choice:0,8
expect_error 1 "'nosuch'" tune model.keras data.csv --space optimizer=choice:adam,nosuch
expect_error 1 "no optimizer of the search has the option 'momentum'" tune model.keras data.csv --optimizer adam --space optimizer.momentum=0.5
expect_error 1 "Give the word new" tune model.keras data.csv --space units=int:1:4
expect_error 1 "fixed by --batch-size" tune model.keras data.csv --batch-size 8 --space batch_size=choice:8,16
expect_error 1 "it is not known whether it should go up or down" tune model.keras data.csv --objective val_beauty
expect_error 1 "takes items like" tune model.keras data.csv --space learning_rate

# Comparisons: of histories, a log of a csv_logger, event files, a folder with a checkpoint, trials.
"$antler" fit model.keras data.csv --epochs 3 --seed 1 --validation-data val.csv --out a.keras --verbose 0 --history slow.json \
  --optimizer sgd:learning_rate=1e-3 --callback csv_logger:filename=log.csv --log-dir logs --checkpoint-dir run > /dev/null
"$antler" fit model.keras data.csv --epochs 2 --seed 1 --validation-data val.csv --out b.keras --verbose 0 --history fast.json \
  --optimizer sgd:learning_rate=3e-2 > /dev/null
"$antler" compare slow.json fast.json --out page.html > compare.txt
loss=$(printf '%.5g' "$("$antler" evaluate b.keras val.csv --json | field loss)")
grep -A 2 '^val_loss (min)' compare.txt | grep -q "fast  *$loss  *2  *$loss  \*" || fail "compare has no $loss: $(cat compare.txt)"
grep -q '^run  *epochs  *time per epoch  *optimizer$' compare.txt || fail "options that differ: $(cat compare.txt)"
grep -q 'sgd:learning_rate=3e-2' compare.txt && ! grep -q 'validation_data' compare.txt || fail "options: $(cat compare.txt)"
grep -q 'slow  *.*fast' compare.txt || fail "curves are not side by side: $(cat compare.txt)"
[ "$(grep -c '<svg viewBox' page.html)" -eq "$(grep -c '<section>' page.html)" ] && grep -q '>val_mae <' page.html ||
  fail "charts: $(grep -c '<svg' page.html)"
grep -Eq '(src|href)=|url\(|<script' page.html && fail "the page needs other files"
cp log.csv run/log.csv
for source in log.csv logs run; do
  "$antler" compare "$source" --json > one.json
  grep -q '"val_mae":{"last":' one.json || fail "compare $source: $(cat one.json)"
  for value in $("$antler" compare slow.json --json | field best); do
    field best < one.json | awk -v v="$value" '{ if (($1 - v)^2 < 1e-10 * v * v) found = 1 } END { exit !found }' ||
      fail "compare $source has no $value: $(cat one.json)"
  done
done
"$antler" compare best.keras.tune --top 2 --json > trials.json
[ "$(grep -o '"name":"[^"]*trial' trials.json | wc -l)" -eq 2 ] && grep -q '"options":{"learning_rate":"' trials.json || fail "trials: $(cat trials.json)"
mkdir empty
expect_error 1 "has no curves" compare empty
expect_error 1 "has several runs: fast.json, log.csv, slow.json. Name the files" compare .
expect_error 1 "There is no file or folder 'none'" compare none
expect_error 1 "is not a run" compare model.keras
expect_error 1 "must end in one of .html" compare slow.json --out page.txt
echo "tune: fine"
