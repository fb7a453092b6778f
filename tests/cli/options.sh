#!/usr/bin/env bash
# The command line's texts (help, manual, completion, lists), and options that control a run.
# usage: options.sh ANTLER
set -euo pipefail
antler=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*" >&2; exit 1; }

[[ $("$antler" --version) =~ ^antler\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "$("$antler" --version)"

# The manual has every option of every command, each with a text.
"$antler" manual > manual.txt
awk '/^\.TP$/ { entry = NR } entry && NR == entry + 1 { name = $0 }
     entry && NR == entry + 2 && (/^\./ || !NF) { print name; bad = 1 } END { exit bad }' manual.txt || fail "an option without text"
for command in $("$antler" completion fish | sed -n 's/.*__fish_use_subcommand -f -a \([a-z]*\) .*/\1/p'); do
  grep -q "^\.SS antler $command$" manual.txt || fail "the manual misses $command"
  [ "$command" = server ] || "$antler" "$command" --help | grep -q '^Exit codes: 0 success' || fail "$command --help has no exit codes"
done
grep -q '^\.SS antler estimator inspect$' manual.txt || fail "the manual misses the commands of estimator"
if command -v groff > /dev/null; then
  groff -man -Tutf8 -P-cbou -ww manual.txt 2> groff.txt | grep -q -e '--learning-rate' || fail "groff shows no options"
  [ ! -s groff.txt ] || fail "groff: $(head -n 3 groff.txt)"
fi

# Completion: commands, options, values.
complete_bash() {  # WORD...: what bash offers for the last one
  # shellcheck disable=SC2016
  bash -c 'source <("$0" completion bash); COMP_WORDS=(antler "$@"); COMP_CWORD=$#; compopt() { :; }; _antler
    echo "${COMPREPLY[*]}"' "$antler" "$@"
}
[ "$(complete_bash eva)" = evaluate ] || fail "bash completes eva to $(complete_bash eva)"
[ "$(complete_bash fit --epo)" = --epochs ] || fail "bash completes --epo to $(complete_bash fit --epo)"
[[ " $(complete_bash fit --optimizer ada) " = *' adam '* ]] || fail "bash offers no optimizers"
[ "$(complete_bash new --kind conv)" = convnet ] || fail "bash offers no kinds"
[ "$(complete_bash completion f)" = fish ] || fail "bash offers no shells"
[ "$(complete_bash estimator insp)" = inspect ] || fail "bash offers no commands of estimator"
touch some_file
[ "$(complete_bash fit some)" = some_file ] || fail "bash offers no files"
if command -v zsh > /dev/null; then
  "$antler" completion zsh > _antler && zsh -n _antler || fail "zsh does not read its script"
fi
if command -v fish > /dev/null; then
  "$antler" completion fish > antler.fish && fish -n antler.fish || fail "fish does not read its script"
  fish -c 'source antler.fish; complete -C "antler fit --learn"' | grep -q '^--learning-rate' || fail "fish offers no options"
fi

# Lists come from the registries.
"$antler" list | grep -q '^optimizers ' || fail "list"
"$antler" list optimizers | grep -qx adam || fail "list optimizers"
"$antler" list callbacks | grep -qx EarlyStopping || fail "list callbacks"
"$antler" list layers | grep -qx Conv2D || fail "list layers"
"$antler" list applications | grep -qx MobileNetV2 || fail "list applications"
"$antler" list metrics --json | grep -q '^{"metrics":\["accuracy",' || fail "list metrics --json"
"$antler" list optimizers adam | grep -qx 'learning_rate=0.001' || fail "options of adam: $("$antler" list optimizers adam)"
for loss in $("$antler" list losses); do "$antler" list losses "$loss" > /dev/null || fail "the loss $loss"; done

# Data: y = 3 x.
{ echo x,y; for ((i = 0; i < 100; ++i)); do echo "$((i % 10)),$((i % 10 * 3)).5"; done; } > data.csv
"$antler" new model.keras data.csv --seed 1 > /dev/null

# A dry run checks everything and writes nothing.
"$antler" fit model.keras data.csv --epochs 5 --batch-size 8 --validation-split 0.2 --checkpoint-dir checkpoints --dry-run > dry.txt
grep -q '^epochs: 5 of 10 steps: 80 samples in batches of 8$' dry.txt || fail "dry run: $(cat dry.txt)"
grep -q '^memory of a step: ' dry.txt || fail "dry run: $(cat dry.txt)"
[ ! -e trained.keras ] && [ ! -e checkpoints ] || fail "a dry run wrote files"
"$antler" fit model.keras data.csv --dry-run --json | grep -q '"steps_per_epoch":4' || fail "dry run: $("$antler" fit model.keras data.csv --dry-run --json)"
"$antler" fit model.keras data.csv --dry-run --callback no_such > dry.txt 2>&1 && fail "a dry run accepts an unknown callback"

# --learning-rate: zero changes nothing; the rate is saved, the optimizer's state is kept.
"$antler" fit model.keras data.csv --epochs 1 --seed 2 --learning-rate 0 --verbose 0 --out zero.keras > /dev/null
"$antler" predict model.keras data.csv > before.csv
"$antler" predict zero.keras data.csv | cmp -s - before.csv || fail "a learning rate of zero changes the model"
"$antler" fit model.keras data.csv --epochs 2 --seed 2 --optimizer sgd --learning-rate 0.002 --verbose 0 --out slow.keras > /dev/null
"$antler" fit model.keras data.csv --epochs 2 --seed 2 --optimizer sgd:learning_rate=0.002 --verbose 0 --out same.keras > /dev/null
"$antler" predict slow.keras data.csv > slow.csv
"$antler" predict same.keras data.csv | cmp -s - slow.csv || fail "--learning-rate differs from the optimizer's option"

# --config: options of commands, overridden by the command line; unknown ones are errors.
printf '[fit]\nepochs = 2\nseed = 2\noptimizer = "sgd"\nlearning-rate = 0.002\nverbose = 0\nout = "from_config.keras"\n' > run.toml
"$antler" fit model.keras data.csv --config run.toml > /dev/null
"$antler" predict from_config.keras data.csv | cmp -s - slow.csv || fail "options of a file differ from those of the command line"
"$antler" --config run.toml fit model.keras data.csv --out other.keras --dry-run | grep -q 'would save: other.keras' ||
  fail "the command line does not come first"
printf '[fit]\nepocs = 2\n' > wrong.toml
rc=0; "$antler" fit model.keras data.csv --config wrong.toml > out.txt 2>&1 || rc=$?
[ "$rc" -eq 2 ] && grep -q epocs out.txt || fail "an unknown option in a file: exit code $rc, $(cat out.txt)"
rc=0; "$antler" fit model.keras data.csv --config missing.toml > out.txt 2>&1 || rc=$?
[ "$rc" -eq 2 ] && grep -q missing.toml out.txt || fail "a missing file: exit code $rc, $(cat out.txt)"
rc=0; "$antler" fit model.keras data.csv --epocs 2 > out.txt 2>&1 || rc=$?
[ "$rc" -eq 2 ] && grep -q -- --epocs out.txt || fail "an unknown option: exit code $rc, $(cat out.txt)"

# The environment.
for limit in abc 5x 0 ""; do
  KERAS_MAX_EPOCHS=$limit "$antler" fit model.keras data.csv --dry-run > out.txt 2>&1 && fail "KERAS_MAX_EPOCHS=$limit is accepted"
  grep -q "KERAS_MAX_EPOCHS.*Received: .*$limit" out.txt || fail "KERAS_MAX_EPOCHS=$limit: $(cat out.txt)"
done
ANTLER_DUMP=new/dumps "$antler" predict model.keras data.csv > /dev/null
grep -q . new/dumps/0000-*.txt || fail "ANTLER_DUMP wrote no file into a new folder"
ANTLER_DUMP=data.csv/dumps "$antler" predict model.keras data.csv > out.txt 2>&1 && fail "ANTLER_DUMP below a file is accepted"
grep -q 'cannot make the folder "data.csv/dumps"' out.txt || fail "ANTLER_DUMP below a file: $(cat out.txt)"
echo "options: fine"
