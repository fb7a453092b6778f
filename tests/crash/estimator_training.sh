#!/usr/bin/env bash
# Kills a training by an Estimator with SIGKILL at random moments, checks its folder each time, lets the
# last process reach the end, and compares the variables with those of a training that nobody disturbed.
#
#   estimator_training.sh PROGRAM [KILLS [SEED [MODEL_DIR]]]
#
# MODEL_DIR, which must not exist, is kept; without it everything happens in a temporary folder.
set -euo pipefail

program=$1
kills=${2:-5}
RANDOM=${3:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=${4:-$folder/model}
# More than can be done before the last kill.
steps=$((400 * kills))

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

temporaries() {
  [ ! -e "$model" ] || find "$model" -name '*.tmp-*'
}

killed=0
before=0 # the step of the newest checkpoint
unfinished=0
inherited=0
incomplete=0
while [ "$killed" -lt "$kills" ]; do
  "$program" train "$model" "$steps" 1 >"$folder/out" 2>"$folder/errors" &
  pid=$!
  wait=$((RANDOM % 600))
  sleep "0.$(printf '%03d' $wait)"
  kill -9 "$pid" 2>/dev/null || true
  if wait "$pid" 2>/dev/null; then fail "it has ended before it was killed $kills times"; fi
  [ -s "$folder/errors" ] && fail "$(cat "$folder/errors")"
  killed=$((killed + 1))
  if grep -q '^from step' "$folder/out"; then
    started=$(sed -n 's/^from step //p' "$folder/out")
    [ "$started" -eq "$before" ] || fail "it went on from step $started, not from $before"
  fi
  after=$("$program" check "$model" 2>"$folder/warnings") || fail "$(cat "$folder/warnings")"
  [ "$after" -ge "$before" ] || fail "the newest checkpoint is of step $after, after one of step $before"
  before=$after
  [ -s "$folder/warnings" ] && incomplete=$((incomplete + 1))
  # Those of a process that died long ago are removed by the next training that gets to save.
  left=$(temporaries | wc -l)
  [ "$left" -gt 0 ] && unfinished=$((unfinished + 1))
  [ "$left" -gt "$inherited" ] && inherited=$left
  temporaries | xargs -r touch -d '1 hour ago'
done

# One more, in case that no kill left any.
sleep 0 &
gone=$!
wait "$gone"
touch -d '1 hour ago' "$model/model.ckpt-1.index.tmp-$gone-0-00000000"

expected=$("$program" train "$folder/undisturbed" "$steps" 0 | tail -1)
got=$("$program" train "$model" "$steps" 0 | tail -1)
[ "$got" = "$expected" ] || fail "the variables are $got, not $expected"
[ "$("$program" check "$model")" -eq "$steps" ] || fail "the last checkpoint is not of step $steps"
[ "$(temporaries | wc -l)" -eq 0 ] || fail "unfinished files remain: $(temporaries)"
echo "same variables after $killed kills; the last one came after step $before of $steps." \
  "$unfinished kills left unfinished files, at most $inherited at a time, and $incomplete found event files" \
  "with an incomplete end"
