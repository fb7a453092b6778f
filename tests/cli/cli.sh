#!/usr/bin/env bash
# The command line in the order of a user's work: a table, a new model, training, evaluation, predictions, conversion.
# usage: cli.sh ANTLER
set -euo pipefail
antler=$1
data=$(cd "$(dirname "$0")/../data" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*" >&2; exit 1; }

# Two separable classes of points, with a category, a quoted field and a missing number.
awk 'BEGIN {
  srand(7); print "size,\"the colour\",kind"
  for (i = 0; i < 300; ++i) {
    big = i % 2; size = rand() + (big ? 2 : 0); colour = rand() < 0.5 ? "red" : "dark, blue"
    printf "%s,\"%s\",%s\n", i == 17 ? "" : size, colour, big ? "large" : "small"
  }
}' > data.csv

"$antler" new model.keras data.csv --target kind --seed 1 > new.txt
grep -q 'target kind: 2 classes' new.txt || fail "new does not name the classes"
"$antler" fit model.keras data.csv --epochs 30 --seed 1 --out trained.keras --history history.json --json \
  --callback early_stopping:monitor=loss,patience=5 --callback terminateonnan --log-dir logs > fit.json
grep -q '"loss"' fit.json || fail "fit --json has no loss: $(cat fit.json)"
grep -q '"accuracy"' history.json || fail "the history has no accuracy"
ls logs/train/events.out.tfevents.* > /dev/null || fail "no event file"
accuracy=$("$antler" evaluate trained.keras data.csv --json | sed 's/.*"accuracy":\([0-9.]*\).*/\1/')
awk -v a="$accuracy" 'BEGIN { exit !(a > 0.95) }' || fail "accuracy $accuracy"

printf 'size,"the colour"\n0.2,red\n2.7,"dark, blue"\n' > new.csv
"$antler" predict trained.keras new.csv --top-k 1 > predicted.csv
[ "$(cut -d, -f1 predicted.csv | tr '\n' ' ')" = 'class_1 small large ' ] || fail "predicted $(cat predicted.csv)"

# A column with a name per row is ignored, and the output says so.
awk -F, -v OFS=, 'NR == 1 { print "name", $0; next } { print "row" NR, $0 }' data.csv > named.csv
"$antler" new named.keras named.csv --target kind > named.txt
grep -q 'name: ignored, it has 300 distinct strings' named.txt || fail "a column of names: $(cat named.txt)"
grep -q 'x: float32 (300, 3)' named.txt || fail "the column of names is among the features"

# Prices in the thousands, as exported by a spreadsheet: semicolons, CR LF, a byte order mark, dates, missing values. A few
# epochs suffice.
awk 'BEGIN {
  srand(3); printf "\xef\xbb\xbfsold;weight;nothing;price\r\n"
  for (i = 0; i < 200; ++i) {
    weight = rand(); year = 2001 + i % 20
    printf "%s;%s;;%d\r\n", i == 5 ? "" : year "-03-0" i % 9 + 1, i == 9 ? "" : weight, 20000 + 5000 * weight + 500 * (year - 2010)
  }
}' > prices.csv
"$antler" new prices.keras prices.csv --seed 1 > prices.txt
grep -q 'sold: date, as days since 1970' prices.txt || fail "dates: $(cat prices.txt)"
grep -q 'nothing: ignored, it has no values' prices.txt || fail "a column without values: $(cat prices.txt)"
grep -q '2 missing numbers' prices.txt || fail "missing values: $(cat prices.txt)"
"$antler" fit prices.keras prices.csv --epochs 30 --seed 1 --verbose 0 --out prices2.keras > /dev/null
mae=$("$antler" evaluate prices2.keras prices.csv --json | sed 's/.*"mae":\([0-9.]*\).*/\1/')
awk -v e="$mae" 'BEGIN { exit !(e < 1000) }' || fail "prices are wrong by $mae"
# Dates with a time of day; an invalid date is a string.
printf 'at,day,y\n1970-01-02 12:00,2024-02-29,1.5\n1970/01/03T00:00:30.0Z,2023-02-29,2.5\n' > dates.csv
"$antler" new dates.keras dates.csv > dates.txt
grep -q 'day: category of 2' dates.txt || fail "an invalid date: $(cat dates.txt)"
fill=$(sed -n 's/.*"fill": \(1\.[0-9]*\),*/\1/p' dates.keras.data.json)
awk -v f="$fill" 'BEGIN { d = f - (1.5 + 2 + 30 / 86400) / 2; exit !(d * d < 1e-12) }' || fail "mean of dates: $fill"
# Categories that look like numbers stay strings.
printf 'zip,y\n01067,0\n00044,1\nK1A,0\n' > zip.csv
"$antler" new zip.keras zip.csv > /dev/null
printf 'zip\n01067\n00044\n' > zip2.csv
"$antler" predict zip.keras zip2.csv > /dev/null || fail "categories that look like numbers"

# An architecture without weights can be inspected.
"$antler" convert trained.keras arch.json
"$antler" plot arch.json | grep -q '^digraph' || fail "plot of an architecture"
[ "$("$antler" summary arch.json | tail -n +2)" = "$("$antler" summary trained.keras | tail -n +2)" ] || fail "the summary of an architecture"

# Training continues where it stopped, and weights survive every format.
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

# Frozen layers keep their weights, also after saving, until they are unfrozen.
"$antler" fit model.keras data.csv --epochs 1 --freeze all --out frozen.keras --json > /dev/null 2> frozen.txt
grep -q 'not have any trainable weights' frozen.txt || fail "no warning that nothing is trainable"
"$antler" predict model.keras new.csv > before.csv
"$antler" predict frozen.keras new.csv | cmp -s - before.csv || fail "frozen weights were trained"
"$antler" fit model.keras data.csv --epochs 1 --freeze dense,dense_1 --out half.keras --json > /dev/null
"$antler" summary half.keras | grep -q 'Trainable params: 130 ' || fail "--freeze: $("$antler" summary half.keras)"
"$antler" fit half.keras data.csv --epochs 1 --unfreeze dense_1 --out more.keras --json > /dev/null
"$antler" summary more.keras | grep -q 'Trainable params: 4290 ' || fail "--unfreeze: $("$antler" summary more.keras)"

# Dark and light images in folders and in an archive of them.
bmp() {  # FILE LEVEL: 8 x 8 pixels of 24 bits
  { printf 'BM\366\0\0\0\0\0\0\0\066\0\0\0\050\0\0\0\010\0\0\0\010\0\0\0\001\0\030\0'
    head -c 24 /dev/zero
    for ((i = 0; i < 192; ++i)); do printf "\\$(printf %o $(($2 + (i * $2) % 7)))"; done } > "$1"
}
for side in train test; do
  mkdir -p "pics/$side/dark" "pics/$side/light"
  for ((n = 0; n < 12; ++n)); do
    bmp "pics/$side/dark/$n.bmp" $((20 + n)); bmp "pics/$side/light/$n.bmp" $((200 + n))
  done
done
tar -czf pics.tar.gz -C pics .
"$antler" new pics.keras pics.tar.gz --kind mlp --units 32 --seed 1 --json | grep -q '"classes":2' || fail "new on an archive"
"$antler" fit pics.keras pics --epochs 12 --batch-size 8 --seed 3 --optimizer adam:learning_rate=0.02 \
  --out pics2.keras --json > pics.json
grep -q '"val_accuracy":1.0' pics.json || fail "images: $(cat pics.json)"
"$antler" evaluate pics2.keras pics.tar.gz --report report.html --json > /dev/null
grep -q '<th>dark</th><td style="background:rgba(0,114,178,1.00)">12</td>' report.html || fail "confusion matrix"
grep -q 'data:image/png;base64,' report.html || fail "no images in the report"
# Two predictions overflow; every second one of the others is plotted.
awk 'BEGIN { print "x,y"; for (i = 0; i < 2100; ++i) print i / 10 "," 1e5 * i }' > line.csv
"$antler" new line.keras line.csv --units 4 --seed 1 > /dev/null
{ cat line.csv; echo 3e38,1; echo -3e38,2; } > far.csv
"$antler" evaluate line.keras far.csv --report line.html --json > /dev/null
grep -q '2 of 2102 predictions or their targets are not finite' line.html || fail "predictions that are not finite"
grep '<svg' line.html | grep -q 'nan\|inf' && fail "coordinates that are not finite"
[ "$(grep -o '<circle' line.html | wc -l)" -eq 1050 ] || fail "points: $(grep -o '<circle' line.html | wc -l)"
# A matrix of many classes is cut.
awk 'BEGIN { print "x,name"; for (i = 0; i < 240; ++i) print i % 120 ",n" i % 120 }' > names.csv
"$antler" new names.keras names.csv --units 4 --seed 1 > /dev/null
"$antler" evaluate names.keras names.csv --report names.html --json > /dev/null
grep -q 'Only the 100 of 120 classes with the most errors' names.html || fail "a matrix of 120 classes"
[ "$(grep -o '<tr><th>n[0-9]*</th>' names.html | wc -l)" -eq 100 ] || fail "rows of a cut matrix"
predicted=$("$antler" predict names.keras names.csv --top-k 1 | sed -n '2s/,.*//p')
grep -q "<tr><th>$predicted</th>" names.html || fail "the matrix misses $predicted"
"$antler" predict pics2.keras pics/test --top-k 1 --out pics.csv
[ "$(cut -d, -f2 pics.csv | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 class_1 12 dark 12 light ' ] || fail "$(cat pics.csv)"
[[ $("$antler" predict pics2.keras pics/test/light/3.bmp --top-k 1 --json) = *'"label":"light"'* ]] || fail "one image"

# Text files in folders.
for word in good bad; do
  mkdir -p "texts/$word"
  for ((n = 0; n < 16; ++n)); do echo "it was a $word one, number $n" > "texts/$word/$n.txt"; done
done
"$antler" new texts.keras texts --kind transformer --units 8 --seed 1 > /dev/null
"$antler" fit texts.keras texts --epochs 40 --optimizer adam:learning_rate=0.01 --seed 1 --out texts2.keras --json > texts.json
grep -Eq '"accuracy":(1.0|0.9)' texts.json || fail "texts: $(cat texts.json)"

# Sequences [steps, features] of two classes, as pairs of .npy files.
npy() {  # TYPE SHAPE: a header of 128 bytes
  local text="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
  printf '\223NUMPY\1\0\166\0%-117s\n' "$text"
}
{ npy '<f4' '48, 5, 2'; for ((n = 0; n < 48; ++n)); do for ((t = 0; t < 10; ++t)); do
  if ((n % 2)); then printf '\0\0\200\077'; else printf '\0\0\0\0'; fi; done; done; } > x.npy
{ npy '|u1' '48,'; for ((n = 0; n < 24; ++n)); do printf '\0\1'; done; } > y.npy
for kind in lstm transformer; do
  "$antler" new sequence.keras x.npy,y.npy $([ $kind = lstm ] || echo --kind $kind) --units 8 --seed 1 --json > sequence.json
  grep -q "\"kind\":\"$kind\",\"classes\":2" sequence.json || fail "new on sequences: $(cat sequence.json)"
  "$antler" fit sequence.keras x.npy,y.npy --epochs 20 --optimizer adam:learning_rate=0.02 --seed 1 --out sequence2.keras --json > fit.json
  grep -q '"accuracy":1.0' fit.json || fail "sequences by $kind: $(cat fit.json)"
done

# A model of keras.applications: frozen with a new classifier, and whole.
{ npy '|u1' '4, 32, 32, 3'; head -c 12288 /dev/zero; } > images.npy
{ npy '|u1' '4,'; printf '\0\1\2\0'; } > kinds.npy
"$antler" new tuned.keras images.npy,kinds.npy --application mobilenet --weights none --json > tuned.json
grep -q '"kind":"mobilenet","classes":3' tuned.json || fail "new --application: $(cat tuned.json)"
"$antler" summary tuned.keras | grep -q 'Trainable params: 3075 ' || fail "the application is not frozen"
"$antler" new whole.keras --application mobilenetv2 --weights none --input-shape 32,32,3 --classes 5 --json > whole.json
grep -q '"params":2264389,' whole.json || fail "new --application without data: $(cat whole.json)"

# tf.Examples written by TensorFlow: single values form a table, images are decoded.
"$antler" new records.keras "$data/records/table.tfrecord.gz" --target kind --seed 1 > records.txt
grep -q 'target kind: 2 classes' records.txt || fail "new on records: $(cat records.txt)"
"$antler" fit records.keras "$data/records/table.tfrecord.gz" --epochs 40 --optimizer adam:learning_rate=0.02 --seed 1 \
  --out records2.keras --json > records.json
grep -q '"accuracy":1.0' records.json || fail "records: $(cat records.json)"
"$antler" predict records2.keras new.csv --top-k 1 > records.csv 2>&1 && fail "an unknown category"
"$antler" predict records2.keras "$data/records/table.tfrecord.gz" --top-k 1 > records.csv
[ "$(head -n 3 records.csv | cut -d, -f1 | tr '\n' ' ')" = 'class_1 small large ' ] || fail "records: $(head records.csv)"
"$antler" new records.keras "$data/records/images.tfrecord.gz" --kind mlp --units 8 --seed 1 > records.txt
grep -q 'image: uint8 (80, 4, 5, 1)' records.txt || fail "images in records: $(cat records.txt)"
"$antler" fit records.keras "$data/records/images.tfrecord.gz" --epochs 40 --optimizer adam:learning_rate=0.02 --seed 1 --json \
  --out records2.keras > records.json
grep -q '"accuracy":1.0' records.json || fail "training on images in records: $(cat records.json)"

# Lists of different lengths are padded with zeros; new data gets the length of the training data.
"$antler" new lists.keras "$data/records/lists.tfrecord.gz" --units 8 --seed 1 > lists.txt
grep -q 'ids: int32 (24, 5), shorter lists padded with zeros' lists.txt || fail "lists in records: $(cat lists.txt)"
"$antler" fit lists.keras "$data/records/lists.tfrecord.gz" --epochs 40 --optimizer adam:learning_rate=0.02 --seed 1 --json \
  --out lists2.keras > lists.json
grep -q '"accuracy":1.0' lists.json || fail "training on lists: $(cat lists.json)"

# In a table of strings, the name of a column shows that there is a header. The data plan is copied with a model.
printf 'a,b,kind\nx,p,good\ny,p,bad\nx,q,good\ny,q,bad\n' > texts.csv
"$antler" new words.keras texts.csv --target kind > words.txt
grep -q 'target kind: 2 classes' words.txt || fail "a table of strings: $(cat words.txt)"
printf 'a,b\ny,q\nx,p\n' > some.csv
"$antler" fit words.keras texts.csv --epochs 60 --seed 1 --optimizer adam:learning_rate=0.05 --verbose 0 --out words.h5 > /dev/null
"$antler" convert words.h5 words.savedmodel
for model in words.h5 words.savedmodel; do
  [ "$("$antler" predict "$model" some.csv --top-k 1 | cut -d, -f1 | tr '\n' ' ')" = 'class_1 bad good ' ] || fail "words by $model"
done
"$antler" convert words.keras words2.h5 --weights words.savedmodel
cp words.h5.data.json words2.h5.data.json
"$antler" predict words.h5 some.csv | cmp -s - <("$antler" predict words2.h5 some.csv) || fail "weights of a SavedModel"
"$antler" evaluate words.savedmodel texts.csv --loss sparse_categorical_crossentropy --metrics accuracy --json > words.json
grep -q '"accuracy":1.0' words.json || fail "evaluate on a SavedModel: $(cat words.json)"

# Ctrl-C ends training after the step, saves, and prints how to continue. The result equals that of an uninterrupted run.
args=(fit model.keras data.csv --epochs 1500 --batch-size 8 --seed 5 --verbose 0)
"$antler" "${args[@]}" --out whole.keras > /dev/null
# Without job control the shell would start the program with SIGINT ignored.
set -m
"$antler" "${args[@]}" --out cut.keras --callback csv_logger:filename=log.csv > cut.txt 2>&1 &
set +m
until [ -s log.csv ]; do sleep 0.02; done
kill -INT $!; rc=0; wait $! || rc=$?
[ "$rc" -eq 130 ] || fail "exit code $rc after Ctrl-C"
grep -q -- '--resume' cut.txt || fail "no command to continue: $(cat cut.txt)"
"$antler" "${args[@]}" --out cut.keras > /dev/null 2>&1 && fail "training ignores a backup"
"$antler" "${args[@]}" --out cut.keras --resume > /dev/null
for which in whole cut; do "$antler" predict "$which.keras" data.csv > "$which.csv"; done
cmp -s whole.csv cut.csv || fail "a resumed run has another result"
[ ! -e cut.keras.resume ] || fail "the backup still exists"

# If the output folder vanishes or a callback fails, the result is saved elsewhere.
mkdir gone kept
set -m
TMPDIR=$PWD/kept "$antler" "${args[@]}" --out gone/x.keras --history gone/h.json --callback csv_logger:filename=gone/log.csv > gone.txt 2>&1 &
set +m
until [ -s gone/log.csv ]; do sleep 0.02; done
rm -r gone
rc=0; wait $! || rc=$?
[ "$rc" -eq 1 ] && [ -e kept/h-kept.json ] && grep -q 'Saved to .*/x-kept.keras instead' gone.txt || fail "$(cat gone.txt)"
"$antler" predict kept/x-kept.keras data.csv | cmp -s - whole.csv || fail "the kept model differs"
mkdir gone
TMPDIR=$PWD/kept "$antler" fit model.keras data.csv --verbose 0 --out y.keras --callback model_checkpoint:filepath=gone/x/c.keras \
  --callback csv_logger:filename=gone/x > gone.txt 2>&1 && fail "a callback that cannot write"
grep -q 'The model so far was saved to .*/y-kept.keras' gone.txt || fail "the model of a failed run is lost: $(cat gone.txt)"

# Plots and measurements.
"$antler" plot trained.keras model.dot --show-shapes && grep -q 'Input shape' model.dot || fail "plot of a model"
"$antler" plot history.json curves.svg && grep -q '<polyline' curves.svg || fail "plot of a history"
"$antler" plot history.json > curves.txt && grep -q ' epoch$' curves.txt || fail "plot in the terminal"
"$antler" bench trained.keras --steps 5 --json | grep -q '"steps_per_second":' || fail "bench"
"$antler" bench trained.keras --steps 5 --profile kernels.json > kernels.txt && grep -q 'train_step' kernels.txt || fail "the table of bench --profile"
grep -q '"traceEvents"' kernels.json || fail "the file of bench --profile"
for command in summary info; do
  "$antler" "$command" $([ "$command" = info ] || echo trained.keras) --json | grep -q '^{.*}$' || fail "$command --json"
done
bash -c 'source <("$1" completion bash); COMP_WORDS=(antler fit --epo); COMP_CWORD=2; compopt() { :; }; _antler
  [ "${COMPREPLY[*]}" = --epochs ]' _ "$antler" || fail "completion"

# Errors: an exit code, a message that says what to do, and no output file.
expect_error() {
  local code=$1 text=$2 rc=0
  shift 2
  "$antler" "$@" > out.txt 2> err.txt || rc=$?
  [ "$rc" -eq "$code" ] || fail "antler $*: exit code $rc, not $code"
  grep -q -- "$text" err.txt out.txt || fail "antler $*: $(cat err.txt)"
}
expect_error 1 "The model comes first: antler new other.keras data.csv" new data.csv other.keras
expect_error 1 "no column 'none'" new other.keras data.csv --target none
expect_error 1 "predicts 'kind', not 'size'" fit model.keras data.csv --target size
sed 's/2001-03-01/last year/' prices.csv > later.csv
expect_error 1 "not a date as in the training data" evaluate prices2.keras later.csv
expect_error 1 "Unknown callback 'no_such'" fit model.keras data.csv --out x.keras --callback no_such
expect_error 1 "has no option 'rate'" fit model.keras data.csv --out x.keras --loss mse --optimizer adam:rate=1
expect_error 1 "contains a graph without layers" convert words.savedmodel words.npz
expect_error 1 "convert MODEL NEW.keras --weights w.npz" convert w.npz x.keras
expect_error 1 "convert arch.json MODEL.keras" predict arch.json data.csv
expect_error 1 "File not found" predict missing.keras data.csv
expect_error 2 "required" fit model.keras
expect_error 1 "choose the target with --target. Features: colour, kind, size" new other.keras "$data/records/table.tfrecord.gz"
expect_error 1 "does not fit this data" new other.keras data.csv --kind lstm
expect_error 1 "is for images" new other.keras data.csv --application mobilenet --weights none
expect_error 1 "has no layer 'none'" fit model.keras data.csv --freeze none
expect_error 1 "must end in one of .csv" predict trained.keras data.csv --out x.xls
for table in "Two columns are named 'a'=a,a\n1,2\n3,4\n" "'x' in all rows=a,b\n1,x\n2,x\n" "has 1 missing values=a,b\n1,x\n2,\n" \
  "out of range for float32=a,b\n1e300,2.5\n1,3.5\n" "out of range for float32=a,b\n1e999,2.5\n1,3.5\n" "0 rows and 0 columns="; do
  printf '%b' "${table#*=}" > wrong.csv
  expect_error 1 "${table%%=*}" new other.keras wrong.csv
done
for ((i = 0; i < 300; ++i)); do echo "$i,text $i"; done > wrong.csv
expect_error 1 "300 distinct values in 300 rows" new other.keras wrong.csv
mkdir -p one/class && cp pics/train/dark/0.bmp one/class
expect_error 1 "only one class, 'class'" new other.keras one
expect_error 1 "entries like 0=1.5. Received: a=b" fit model.keras data.csv --class-weight a=b
expect_error 2 "expected a positive integer, not 0" fit model.keras data.csv --batch-size 0
expect_error 2 "expected a positive integer or auto, not 0" fit model.keras data.csv --steps-per-execution 0
rc=0; "$antler" predict trained.keras new.csv > /dev/full 2> err.txt || rc=$?
[ "$rc" -eq 1 ] && grep -q 'standard output' err.txt || fail "predictions to a full disk: exit code $rc, $(cat err.txt)"
# Outputs are checked before work begins.
expect_error 1 "there is no folder 'nowhere'" fit model.keras data.csv --out nowhere/x.keras
[ ! -s out.txt ] || fail "training began although its result cannot be written"
expect_error 1 "must end in one of .keras" fit model.keras data.csv --out x.txt
expect_error 1 "must end in one of .svg, .png" fit model.keras data.csv --plot x.pdf
expect_error 1 "there is no folder" evaluate trained.keras data.csv --report nowhere/x.html
expect_error 1 "give a loss, for example --loss sparse_categorical_crossentropy" evaluate words.savedmodel texts.csv
head -n 1 texts.csv > header.csv
expect_error 1 "a header without rows" new other.keras header.csv
head -c 1000 trained.keras > cut.keras
expect_error 1 "cut.keras" summary cut.keras
# The folder of an Estimator: a checkpoint, its state file, the events of training.
mkdir -p model_dir/eval
"$antler" convert trained.keras model_dir/model.ckpt-30.ckpt > /dev/null
printf 'model_checkpoint_path: "model.ckpt-30.ckpt"\nall_model_checkpoint_paths: "model.ckpt-30.ckpt"\n' > model_dir/checkpoint
cp logs/train/events.out.tfevents.* model_dir/eval/
"$antler" estimator inspect model_dir > inspect.txt
grep -q 'model.ckpt-30' inspect.txt || fail "inspect names no checkpoint: $(cat inspect.txt)"
grep -q 'eval: epoch_loss' inspect.txt || fail "inspect draws no curve: $(cat inspect.txt)"
"$antler" estimator inspect model_dir --json | grep -q '"steps"' || fail "inspect --json has no steps"
"$antler" summary model_dir | grep -q '^Total: ' || fail "summary of a model_dir"
"$antler" convert model_dir model_dir.safetensors
[ -s model_dir.safetensors ] || fail "a model_dir was not converted"
expect_error 1 "can be written to a .safetensors or .npz file" convert model_dir x.keras
mkdir without
printf 'model_checkpoint_path: "x"\n' > without/checkpoint
expect_error 1 "has no checkpoint" summary without
[ ! -e x.keras ] && [ ! -e other.keras ] || fail "a failed command left a file"
echo "command line: fine"
