#!/usr/bin/env bash
# `antler train` and related features: windows over time series, options for reading data.
# usage: train.sh ANTLER
set -euo pipefail
antler=$1
data=$(cd "$(dirname "$0")/../data" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*" >&2; exit 1; }
expect_error() {  # CODE TEXT ARGUMENT...
  local code=$1 text=$2 rc=0
  shift 2
  "$antler" "$@" > out.txt 2> err.txt || rc=$?
  [ "$rc" -eq "$code" ] || fail "antler $*: exit code $rc, not $code: $(cat err.txt)"
  grep -q -- "$text" err.txt out.txt || fail "antler $*: $(cat err.txt)"
}
value() { sed "s/.*\"$1\":{[^}]*\"$2\":\([-0-9.e]*\).*/\1/"; }  # OBJECT KEY: a number in a line of JSON

# Two separable classes, the larger ones last: only random rows are a fair validation set.
awk 'BEGIN {
  srand(7); print "size,colour,kind"
  for (i = 0; i < 200; ++i) printf "%.4f,%s,%s\n", rand() + (i < 150 ? 0 : 2), rand() < 0.5 ? "red" : "blue", i < 150 ? "small" : "large"
}' > data.csv
"$antler" train data.csv --seed 1 --epochs 40 --verbose 0 --history history.json > train.txt
for line in 'target kind: 2 classes' '160 samples for training, 40 for validation' '^network: mlp for 2 classes' \
  'at most 40, until the validation loss has not improved for 5' '^validation: loss .*, accuracy ' '^saved: data.keras$' \
  '^next: antler predict data.keras NEW_DATA$'; do
  grep -q "$line" train.txt || fail "train does not say '$line': $(cat train.txt)"
done
grep -q '"val_accuracy"' history.json || fail "no validation in the history"
printf 'size,colour\n0.2,red\n2.7,blue\n' > new.csv
[ "$("$antler" predict data.keras new.csv --top-k 1 | cut -d, -f1 | tr '\n' ' ')" = 'class_1 small large ' ] || fail "predictions of a trained model"
# The options of fit and new: here the validation data is the training data, so both results are the same.
"$antler" train data.csv --seed 1 --epochs 3 --units 4 --validation-data data.csv --validation-split 0 --optimizer sgd --json \
  --out small.keras > small.json
[ "$(value validation loss < small.json)" = "$("$antler" evaluate small.keras data.csv --json | sed 's/.*"loss":\([0-9.e-]*\).*/\1/')" ] ||
  fail "the reported loss differs from that of evaluate: $(cat small.json)"
grep -q '"kind":"mlp","classes":2,"params":33' small.json || fail "train --json: $(cat small.json)"
# Early stopping keeps the best weights.
"$antler" train data.csv --seed 1 --epochs 200 --patience 1 --learning-rate 0.5 --json --history stopped.json > stopped.json.txt
epochs=$(sed 's/.*"epochs":\([0-9]*\).*/\1/' stopped.json.txt)
[ "$epochs" -lt 200 ] || fail "training was not stopped"
best=$(tr -d ' \n' < stopped.json | sed 's/.*"val_loss":\[\([^]]*\)\].*/\1/' | tr , '\n' | sort -g | head -n 1)
awk -v a="$best" -v b="$(value validation loss < stopped.json.txt)" 'BEGIN { exit !((a - b) ^ 2 <= 1e-10 + 1e-10 * a * a) }' ||
  fail "the best loss $best, the reported one $(value validation loss < stopped.json.txt)"
"$antler" train data.csv --dry-run --out dry.keras | grep -q 'would save: dry.keras' && [ ! -e dry.keras ] || fail "a dry run of train"
expect_error 1 "is a model, not data" train data.keras
expect_error 1 "no column 'none'" train data.csv --target none

# Ctrl-C saves and prints how to continue. The result equals that of an uninterrupted run.
args=(train data.csv --epochs 500 --patience 0 --batch-size 8 --seed 5 --verbose 0)
"$antler" "${args[@]}" --out whole.keras > /dev/null
set -m
"$antler" "${args[@]}" --out cut.keras --callback csv_logger:filename=log.csv > cut.txt 2>&1 &
set +m
until [ -s log.csv ]; do sleep 0.02; done
kill -INT $!; rc=0; wait $! || rc=$?
[ "$rc" -eq 130 ] && grep -q -- '--resume' cut.txt || fail "exit code $rc after Ctrl-C: $(cat cut.txt)"
"$antler" "${args[@]}" --out cut.keras --resume > /dev/null
"$antler" predict whole.keras data.csv > whole.csv
"$antler" predict cut.keras data.csv | cmp -s - whole.csv || fail "a resumed run has another result"

# Windows: predicts the next values of a wave from the previous rows. Windows do not use categories and dates.
awk 'BEGIN { print "day,wave,name"; for (i = 0; i < 160; ++i) printf "2024-01-%02d,%.5f,n%d\n", i % 28 + 1, 10 + sin(i / 3), i % 3 }' > wave.csv
"$antler" train wave.csv --target wave --window 8 --horizon 3 --epochs 40 --units 16 --learning-rate 0.01 --seed 1 --json > wave.json
grep -q '"kind":"lstm","classes":0' wave.json || fail "windows: $(cat wave.json)"
awk -v e="$(value validation mae < wave.json)" 'BEGIN { exit !(e < 0.2) }' || fail "a wave is not learned: $(cat wave.json)"
"$antler" new plain.keras wave.csv --target wave --window 8 > wave.txt
for line in 'x: float32 (152, 8, 1)' 'day: ignored, windows take numbers only' 'windows of 8 rows; the target is 1 row later'; do
  grep -q "$line" wave.txt || fail "windows: $(cat wave.txt)"
done
"$antler" fit plain.keras wave.csv --epochs 2 --validation-split 0.2 --verbose 0 --out fitted.keras > fit.txt
grep -q 'x: float32 (152, 8, 1)' fit.txt || fail "fit does not know the windows: $(cat fit.txt)"
# One forecast per complete window; the last is for 3 rows after the end: sin(162 / 3).
"$antler" predict wave.keras wave.csv > forecast.csv
[ "$(wc -l < forecast.csv)" -eq 154 ] || fail "$(wc -l < forecast.csv) lines for 153 windows"
tail -n 1 forecast.csv | awk '{ d = $1 - 10 - sin(162 / 3); exit !(d * d < 0.16) }' || fail "the forecast is $(tail -n 1 forecast.csv)"
"$antler" evaluate wave.keras wave.csv --window 8 --horizon 3 --target wave --json > /dev/null
expect_error 1 "takes windows of 8 rows, not windows of 5" evaluate wave.keras wave.csv --window 5
expect_error 1 "predicts 3 rows ahead, not 2" fit wave.keras wave.csv --horizon 2
head -n 11 wave.csv > short.csv
expect_error 1 "has 10 rows. A window of 8 rows with a target 3 rows later needs at least 11" evaluate wave.keras short.csv
expect_error 1 "give --window too" train wave.csv --horizon 2
expect_error 2 "expected a positive integer" train wave.csv --window 0

# --task: numbers as classes, and classes as numbers.
awk -v OFS=, 'BEGIN { print "a,stars"; for (i = 0; i < 60; ++i) print i % 3 + 0.1, i % 3 + 1 }' > stars.csv
"$antler" train stars.csv --task classification --epochs 1 --verbose 0 | grep -q 'target stars: 3 classes' || fail "--task classification"
"$antler" predict stars.keras stars.csv | head -n 1 | grep -qx '1,2,3' || fail "classes of numbers: $("$antler" predict stars.keras stars.csv | head -n 1)"
"$antler" evaluate stars.keras stars.csv --json > /dev/null || fail "classes of numbers are not found again"
awk -v OFS=, 'BEGIN { print "a,n"; for (i = 0; i < 60; ++i) print i % 3 + 0.1, i % 3 }' > counts.csv
"$antler" train counts.csv --task regression --epochs 1 --verbose 0 | grep -q 'mlp for regression' || fail "--task regression"
expect_error 1 "that is not a regression" train data.csv --task regression
expect_error 1 "made for --task regression" fit counts.keras counts.csv --task classification
expect_error 2 "--task" train data.csv --task ranking
# Names of data sets. A file or folder of this name has priority; a failed download is an error that says what to do.
"$antler" train digits --epochs 1 --verbose 0 --units 16 --kind mlp > digits.txt
grep -q '^test: loss .*, accuracy ' digits.txt && grep -q '1150 samples for training, 287 for validation' digits.txt || fail "digits: $(cat digits.txt)"
export ANTLER_DATASETS=$data/keras_datasets
"$antler" new imdb.keras imdb --units 4 --seed 1 > imdb.txt
grep -q 'read as 250 words of a vocabulary of 29' imdb.txt || fail "imdb: $(cat imdb.txt)"
mkdir reviews && echo "word3 word4 nothing" > reviews/a.txt
"$antler" predict imdb.keras reviews/a.txt | head -n 1 | grep -qx 'file,negative,positive' || fail "a text file for a model of imdb"
"$antler" evaluate imdb.keras imdb --json | grep -q '"accuracy"' || fail "evaluate on a data set"
[ "$("$antler" list datasets | grep -c -e cifar -e mnist -e reuters)" -eq 5 ] || fail "list datasets"
mkdir mnist
expect_error 1 "'mnist' has 0 files" train mnist
rmdir mnist
ANTLER_DATASETS=$dir KERAS_HOME=$dir/keras https_proxy=http://127.0.0.1:1 expect_error 1 "put it there: $dir/keras/datasets/mnist.npz" train mnist --json
[ ! -s out.txt ] || fail "a failed download writes to the standard output: $(cat out.txt)"

# --augment changes images in training only: the model has no layer for it, and equal seeds give equal results.
for n in 1 2; do
  "$antler" train digits --augment rotation=0.05,crop=1,contrast --kind mlp --units 16 --epochs 2 --seed 3 --json --out "aug$n.keras" > "aug$n.json"
done
"$antler" predict aug1.keras digits > aug1.csv
"$antler" predict aug2.keras digits | cmp -s - aug1.csv || fail "--augment is not reproducible"
"$antler" train digits --kind mlp --units 16 --epochs 2 --seed 3 --json --out plain.keras > plain.json
"$antler" predict plain.keras digits | cmp -s - aug1.csv && fail "--augment changes nothing"
[ "$("$antler" summary aug1.keras | tail -n +2)" = "$("$antler" summary plain.keras | tail -n +2)" ] || fail "--augment changes the model"
"$antler" fit plain.keras digits --augment flip --validation-split 0.1 --verbose 0 --json --out aug.keras | grep -q '"val_accuracy"' || fail "fit --augment"
expect_error 1 "is for images" train data.csv --augment flip
expect_error 1 "has no step 'flop'. Available steps: brightness," train digits --augment flop
expect_error 1 "crop takes a number of pixels, not '1.5'" train digits --augment crop=1.5
expect_error 1 "zoom takes a positive number, not 'x'" fit plain.keras digits --augment zoom=x --dry-run

# The same options wherever data is read.
for command in train new fit evaluate predict bench inspect; do
  "$antler" "$command" --help > help.txt
  for option in --target --task --window --horizon --threads; do
    grep -q -- "$option" help.txt || fail "$command has no $option"
  done
done
echo "train: fine"
