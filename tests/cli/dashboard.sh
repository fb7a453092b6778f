#!/usr/bin/env bash
# antler fit --dashboard: the data sent to the page while a model trains, and access control.
# usage: dashboard.sh ANTLER
set -euo pipefail
antler=$1
dir=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2> /dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*" >&2; exit 1; }

# start NAME ARGUMENT...: trains in the background; sets pid and port.
start() {
  local name=$1; shift
  : > "$name.err"
  "$antler" fit "$@" --json > "$name.out" 2> "$name.err" &
  pid=$!
  for ((i = 0; i < 1000; ++i)); do
    port=$(sed -n 's|^dashboard: http://127.0.0.1:\([0-9]*\)/$|\1|p' "$name.err")
    [ -z "$port" ] || return 0
    kill -0 "$pid" || break
    sleep 0.02
  done
  fail "$name has no address: $(cat "$name.err")"
}
# ask PATH [METHOD [HOST]]: connects descriptor 3 and sends a request.
ask() {
  exec 3<> "/dev/tcp/127.0.0.1/$port"
  printf '%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n' "${2:-GET}" "$1" "${3-localhost:$port}" >&3
}
# request: as ask; prints the answer, with headers.
request() {
  ask "$@"
  cat <&3
  exec 3>&-
}
# follow NAME: writes the events to a file until the stream ends; sets reader.
follow() {
  ask /events
  cat <&3 > "$1.events" &
  reader=$!
  exec 3>&-
}
status() { request "$@" | head -n 1 | cut -d' ' -f2; }
# numbers NAME FIGURE: a figure of all epochs from the events, in the form of in_history.
numbers() { grep -o '"epoch":[0-9]*,"seconds":[^,]*,"learning_rate":[^,]*,"logs":{[^}]*}' "$1.events" | sed "s/.*\"$2\":\([^,}]*\).*/\1/" | paste -sd,; }
in_history() { tr -d ' \n' < "$1" | sed "s/.*\"$2\":\[\([^]]*\)\].*/\1/"; }

awk 'BEGIN { srand(7); print "size,colour,kind"
  for (i = 0; i < 300; ++i) printf "%.4f,%s,%s\n", rand() + 0.8 * (i % 2), rand() < 0.5 ? "red" : "blue", i % 2 ? "<b>" : "small" }' > data.csv
"$antler" new model.keras data.csv --target kind --seed 1 > /dev/null
common=(model.keras data.csv --seed 1 --validation-split 0.2 --batch-size 64)

# The page does not influence the training, and receives all its figures. The training starts when its data arrives.
mkfifo late.csv
start whole model.keras late.csv "${common[@]:2}" --epochs 6 --dashboard --out whole.keras --history whole.json
follow whole
[[ $(request /state) = *'"state":"starting"'* ]] || fail "before the training: $(request /state)"
cat data.csv > late.csv
wait "$pid" || fail "fit: $(cat whole.err)"
wait "$reader"
"$antler" fit "${common[@]}" --epochs 6 --verbose 0 --out plain.keras --history plain.json > /dev/null
# Without the times and the options.
results() { sed '/"options"/,/}/d; /"seconds"/,/]/d' "$1"; }
cmp <(results whole.json) <(results plain.json) || fail "the dashboard changes the training"
for figure in loss val_accuracy; do
  [ "$(numbers whole $figure)" = "$(in_history whole.json $figure)" ] || fail "$figure: $(numbers whole $figure)"
done
last=$(grep '^data: ' whole.events | tail -n 1)
[[ $last = *'"state":"finished"'*'saved: whole.keras'* ]] || fail "the end: $last"
grep -q '"facts":{"command":"antler fit model.keras late.csv ' whole.events || fail "no command"
evaluation=$(grep -o '"evaluation":{.*' whole.events | tail -n 1)
[[ $evaluation = *'"classes":["<b>","small"]'*'"text":"size: '*'"count":60,"of":60,"epoch":6'* ]] || fail "predictions: $evaluation"
awk -v a="$(sed 's/.*"evaluation":{"accuracy":\([0-9.]*\).*/\1/' <<< "$evaluation")" -v b="$(numbers whole val_accuracy | sed 's/.*,//')" \
  'BEGIN { exit !((a - b) ^ 2 < 1e-12) }' || fail "accuracy: $evaluation"

# A long training run while a client opens a stream and never reads it.
start long "${common[@]}" --epochs 1000000 --dashboard --out long.keras --history long.json
exec 4<> "/dev/tcp/127.0.0.1/$port"
printf 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n' >&4
epoch() { request /state | sed -n 's/.*"now":{"state":"[a-z]*","epoch":\([0-9]*\),"epochs":1000000,.*/\1/p'; }
first=0
for ((i = 0; i < 500; ++i)); do
  now=$(epoch)
  if [ "$first" -eq 0 ]; then first=${now:-0}; elif [ "$now" -gt $((first + 1)) ]; then break; fi
  sleep 0.02
done
[ "$first" -gt 0 ] && [ "$now" -gt $((first + 1)) ] || fail "the epochs do not advance: $first, $now"
page=$(request /)
[[ $page = 'HTTP/1.1 200 OK'*"Content-Security-Policy: default-src 'none'"*'<!DOCTYPE html>'*'</html>' ]] || fail "the page: ${page:0:600}"
grep -Eq '(src|href)="(https?:)?//' <<< "$page" && fail "the page loads from elsewhere"

# Only this machine's names, only GET, only the pages that exist.
[ "$(status /state GET 127.0.0.1:9)" = 200 ] || fail "through a tunnel: $(request /state GET 127.0.0.1:9)"
for host in evil.example "evil.example:$port" localhost.evil.example ''; do
  [ "$(status /state GET "$host")" = 403 ] || fail "the host '$host' is not refused"
done
[ "$(status /state POST)" = 405 ] || fail "POST is not refused"
[ "$(status /etc/passwd)" = 404 ] || fail "a file is served"
# Its port is not free.
rc=0; "$antler" fit "${common[@]}" --dashboard-port "$port" --out other.keras > other.txt 2>&1 || rc=$?
[ "$rc" -eq 1 ] && grep -q "cannot use port $port of 127.0.0.1: Address already in use" other.txt || fail "a port in use: $rc, $(cat other.txt)"
[ ! -e other.keras ] || fail "trained without a port"
rc=0; "$antler" fit "${common[@]}" --dashboard-port 99999 > other.txt 2>&1 || rc=$?
[ "$rc" -eq 2 ] || fail "a port out of range: $rc, $(cat other.txt)"

follow long
kill -INT "$pid"
rc=0; wait "$pid" || rc=$?
[ "$rc" -eq 130 ] || fail "Ctrl-C: exit code $rc, $(cat long.err)"
wait "$reader"
exec 4>&-
grep -q '"state":"interrupted"' long.events || fail "the page does not show the interruption"
[ "$(numbers long loss)" = "$(in_history long.json loss)" ] || fail "the page and the history of the long training differ"

# An error after the start is shown.
start failed model.keras late.csv --dashboard --out failed.keras
follow failed
request /state > /dev/null
printf 'size,colour\n1,red\n' > late.csv
rc=0; wait "$pid" || rc=$?
[ "$rc" -eq 1 ] || fail "an error: exit code $rc"
wait "$reader"
grep -q '"state":"failed","message":".*kind' failed.events || fail "the error is not shown: $(cat failed.events)"
pid=
echo "dashboard: fine"
