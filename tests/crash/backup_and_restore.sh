#!/usr/bin/env bash
# Kills a training with SIGKILL at random moments until one process reaches the end, and compares the
# weights with those of a training that nobody disturbed.
#
#   backup_and_restore.sh PROGRAM [ROUNDS [SEED]]
set -euo pipefail

program=$1
rounds=${2:-3}
RANDOM=${3:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The first process of every round shuffles alike; those after it must take the seed from the backup.
export RESUMABLE_TRAINING_SEED=fixed

run_killed() {  # backup folder, save frequency, steps per execution -> digest; counts kills
  local kills=0 seed=fixed
  while :; do
    RESUMABLE_TRAINING_SEED=$seed "$program" "$@" >"$folder/out" &
    local pid=$!
    # Wait a random time, then kill the process unless it has ended. The wait grows with the number of
    # kills, so that the training also ends on a busy machine.
    local wait=$((RANDOM % (400 + 50 * kills)))
    sleep "$((wait / 1000)).$(printf '%03d' $((wait % 1000)))"
    if kill -9 "$pid" 2>/dev/null; then :; fi
    if wait "$pid" 2>/dev/null; then
      cat "$folder/out"
      echo "$kills" >"$folder/kills"
      return
    fi
    kills=$((kills + 1))
    # Without a backup it starts anew, and must shuffle like the first process.
    if [ -e "$1/latest.weights.h5" ]; then seed=other; else seed=fixed; fi
    if [ "$kills" -gt 200 ]; then
      echo "no end after $kills kills" >&2
      return 1
    fi
  done
}

total=0
for freq in epoch 1 4; do
  for steps in 1 3; do
    expected=$("$program" "$folder/undisturbed" "$freq" "$steps")
    for ((round = 1; round <= rounds; ++round)); do
      got=$(run_killed "$folder/backup" "$freq" "$steps")
      total=$((total + $(cat "$folder/kills")))
      if [ "$got" != "$expected" ]; then
        echo "FAILED: save_freq=$freq steps_per_execution=$steps round $round: $got, not $expected" >&2
        exit 1
      fi
      if [ -e "$folder/backup" ]; then
        echo "FAILED: the backup is still there: $(ls "$folder/backup")" >&2
        exit 1
      fi
    done
  done
done
echo "same weights after $total kills in $((6 * rounds)) trainings"
if [ "$total" -eq 0 ]; then
  echo "FAILED: nothing was killed" >&2
  exit 1
fi
