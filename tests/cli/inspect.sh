#!/usr/bin/env bash
# `antler inspect` on every kind of data.
# usage: inspect.sh ANTLER
set -euo pipefail
antler=$1
data=$(cd "$(dirname "$0")/../data" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*" >&2; exit 1; }
# Each further argument must be a line of inspect's output, with any run of spaces written as one.
expect_lines() {  # "ARGUMENT..." LINE...
  local arguments=$1 line
  shift
  # shellcheck disable=SC2086
  "$antler" inspect $arguments > out.txt 2> err.txt || true
  tr -s ' ' < out.txt > lines.txt
  for line in "$@"; do
    grep -qxF -- "$line" lines.txt || fail "inspect $arguments does not print '$line': $(cat out.txt err.txt)"
  done
}

printf 'day,size,"the colour",name,empty,kind\n' > data.csv
for ((i = 0; i < 120; ++i)); do
  echo "2024-0$((i % 9 + 1))-10,$([ $i -eq 5 ] || echo $((i % 4))),$([ $((i % 3)) = 0 ] && echo '"dark, blue"' || echo red),name $i,,$([ $i -lt 100 ] && echo small || echo large)"
done >> data.csv
expect_lines data.csv 'data.csv: table, 120 samples' ' day date 0 9 2024-01-10 to 2024-09-10 date, as days since 1970' \
  ' size number 1 4 0 to 3 1.5042 number' ' the colour text 0 2 red (80) category of 2' \
  ' name text 0 120 name 0 (1) ignored, it has 120 distinct strings (at most 100 make a category)' \
  ' empty empty 120 0 ignored, it has no values' ' kind text 0 2 small (100) target: 2 classes' ' x float32 (120, 4) 0 to 19976 4963.44' \
  'target kind: 2 classes' ' large 20 16.7%' ' small 100 83.3%' \
  ' The largest class has 5 times the samples of the smallest: see --class-weight.' ' 2024-01-10 0 dark, blue name 0 small'
expect_lines "data.csv --target size --task regression" ' size number 1 4 0 to 3 1.5042'
[ "$(cat err.txt)" = "It cannot be used for training as it is: The target column 'size' has 1 missing values." ] || fail "$(cat err.txt)"
rc=0; "$antler" inspect data.csv --target size > /dev/null 2>&1 || rc=$?
[ "$rc" -eq 1 ] || fail "exit code $rc for a target with missing values"
"$antler" inspect data.csv --rows 2 --json > inspect.json
grep -q '"target":{"task":"classification","classes":\[{"label":"large","count":20},{"label":"small","count":100}\],"name":"kind"}' inspect.json &&
  grep -q '"examples":\[\["2024-01-10",0.0,"dark, blue","name 0",null,"small"\],\[[^]]*\]\]' inspect.json || fail "--json: $(cat inspect.json)"
expect_lines "data.csv --target kind --window 10 --rows 0" ' x float32 (110, 10, 1) 0 to 3 1.50093' ' day date 0 9 2024-01-10 to 2024-09-10 ignored, windows take numbers only'

# Dates are ISO 8601, or as a spreadsheet writes them.
printf '%s\n' 'good,sign,space,short,mixed,point,y' \
  '2024-02-28T07:05:00.5Z,2024-02-29T+5:30,2024-02-29T 8:30,2024-02-28 7:05,2024/02-27,2024-02-28 07:05:01.,1' \
  '2024/02/29 23:59,2024-02-29T+5:30,2024-02-29T 8:30,2024-02-28 7:05,2024/02-27,2024-02-28 07:05:01.,2' > dates.csv
expect_lines dates.csv ' good date 0 2 2024-02-28T07:05:00.5Z to 2024/02/29 23:59 date, as days since 1970' \
  ' sign text 0 1 2024-02-29T+5:30 (2) category of 1' ' space text 0 1 2024-02-29T 8:30 (2) category of 1' \
  ' short text 0 1 2024-02-28 7:05 (2) category of 1' ' mixed text 0 1 2024/02-27 (2) category of 1' \
  ' point text 0 1 2024-02-28 07:05:01. (2) category of 1'

# Arrays, including some that no model can use.
npy() {  # TYPE SHAPE: a header of 128 bytes
  local text="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
  printf '\223NUMPY\1\0\166\0%-117s\n' "$text"
}
{ npy '|u1' '4, 2, 3'; printf '\1\2\3\4\5\6\1\2\3\4\5\6\1\2\3\4\5\6\1\2\3\4\5\6'; } > x.npy
{ npy '|u1' '4,'; printf '\0\1\1\1'; } > y.npy
{ npy '<f4' '4,'; printf '\0\0\0\0\0\0\200\077\0\0\0\100\0\0\300\177'; } > nan.npy
expect_lines x.npy,y.npy 'x.npy,y.npy: NumPy arrays, 4 samples' ' x uint8 (4, 2, 3) 1 to 6 3.5' 'target: 2 classes' ' 1 3 75.0%' ' 1 2 3 4 5 6'
expect_lines "x.npy,y.npy --task regression" ' y float32 (4) 0 to 1 0.75' 'target: 0 to 1, mean 0.75'
expect_lines nan.npy ' x float32 (4) 0 to 2 1 1 not finite'
grep -q 'has no targets' err.txt || fail "an array without targets: $(cat err.txt)"

# Files: images in folders, and texts.
bmp() {  # FILE LEVEL: 8 x 8 pixels of 24 bits
  { printf 'BM\366\0\0\0\0\0\0\0\066\0\0\0\050\0\0\0\010\0\0\0\010\0\0\0\001\0\030\0'; head -c 24 /dev/zero
    head -c 192 /dev/zero; } > "$1"
}
mkdir -p pics/train/{dark,light} pics/test/{dark,light} texts/{good,bad}
for n in 1 2 3; do bmp "pics/train/dark/$n.bmp"; bmp "pics/test/light/$n.bmp"; bmp "pics/test/dark/$n.bmp"; done
bmp pics/train/light/1.bmp
expect_lines pics 'pics: image files, 4 samples, 6 more as a test set' 'height x width: 8 x 8, in 10 of the images; bmp' ' dark 3 75.0%' \
  ' pics/train/dark/1.bmp'
for n in 1 2 3; do echo "it was good" > "texts/good/$n.txt"; echo "no, it was not good at all" > "texts/bad/$n.txt"; done
expect_lines texts 'texts: text files, 6 samples' 'words: 3 to 7 per text, median 7' ' bad 3 50.0%'
expect_lines "$data/records/table.tfrecord.gz --target kind" ' colour text 0 2 red (43) category of 2' 'target kind: 2 classes'
expect_lines "$data/records/table.tfrecord.gz" ' colour text 0 2 red (43)'
grep -q 'choose the target with --target' err.txt || fail "records without a target: $(cat err.txt)"
expect_lines "$data/records/images.tfrecord.gz" ' x uint8 (80, 4, 5, 1) 40 to 229 136.562'
rc=0; "$antler" inspect missing.csv > out.txt 2>&1 || rc=$?
[ "$rc" -eq 1 ] && grep -q "missing.csv" out.txt || fail "a missing file: exit code $rc"
echo "inspect: fine"
