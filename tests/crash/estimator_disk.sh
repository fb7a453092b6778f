#!/usr/bin/env bash
# Trains by an Estimator where the disk is full or read-only: an error that names the file, and nothing
# that was there is lost. Skipped where nothing can be mounted.
#
#   estimator_disk.sh PROGRAM      the program antler_estimator_training
set -euo pipefail

if [ "${2:-}" != mounted ]; then
  unshare -m mount -t tmpfs none /mnt 2>/dev/null || exit 77
  exec unshare -m "$0" "$1" mounted
fi

program=$1
disk=$(mktemp -d)
trap 'umount "$disk"; rmdir "$disk"; rm -f "$disk.out"' EXIT
model=$disk/model

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

train() {
  "$program" train "$model" 100 0 >"$disk.out" 2>&1
}

# $1: what the disk does. Training must fail with an error about a file of the model that gives the reason
# $2. Prints the step of the newest checkpoint.
must_fail() {
  if train; then fail "it trained on a disk that $1"; fi
  grep -q "^IOError: .*$model.*: $2\.$" "$disk.out" || fail "a disk that $1: $(cat "$disk.out")"
  "$program" check "$model" || fail "a disk that $1 has a wrong checkpoint"
}

mount -t tmpfs -o size=200k none "$disk"
[ "$(must_fail "holds no checkpoint" "No space left on device")" -eq 0 ] || fail "a checkpoint appeared on a full disk"
[ -z "$(find "$model" -name '*.tmp-*')" ] || fail "a part of a checkpoint remains"

mount -o remount,size=3m "$disk"
step=$(must_fail "becomes full" "No space left on device")
[ "$step" -gt 0 ] || fail "no checkpoint was saved before the disk was full"
[ -z "$(find "$model" -name '*.tmp-*')" ] || fail "a part of a checkpoint remains"

before=$(find "$model" -type f -exec md5sum {} + | sort)
mount -o remount,ro "$disk"
[ "$(must_fail "is read-only" "Read-only file system")" -eq "$step" ] || fail "the newest checkpoint is another one"
[ "$(find "$model" -type f -exec md5sum {} + | sort)" = "$before" ] || fail "files of a read-only disk changed"

mount -o remount,rw,size=40m "$disk"
train || fail "it does not go on: $(cat "$disk.out")"
grep -q "^from step $step$" "$disk.out" || fail "it did not go on from step $step: $(cat "$disk.out")"
[ "$("$program" check "$model")" -eq 100 ] || fail "the last checkpoint is not of step 100"
echo "errors on full and read-only disks; it went on from step $step when there was space again"
