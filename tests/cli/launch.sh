#!/usr/bin/env bash
# antler launch: processes of a cluster, their output, failures, restarts, signals, and other hosts through a fake ssh.
# usage: launch.sh ANTLER
set -euo pipefail
antler=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
unset TF_CONFIG OMP_NUM_THREADS

fail() { echo "FAILED: $*" >&2; exit 1; }
# run CODE ARGS...: runs antler launch ARGS with output to out.txt and err.txt; the exit code must be CODE.
run() {
  local code=$1 rc=0
  shift
  timeout 60 "$antler" launch "$@" > out.txt 2> err.txt || rc=$?
  [ "$rc" -eq "$code" ] || fail "antler launch $*: exit code $rc, not $code: $(cat out.txt err.txt)"
}
# interrupt SIGNAL CODE ARGS...: the same, with a signal when started.txt has as many lines as there are workers (two).
interrupt() {
  local signal=$1 code=$2 rc=0
  shift 2
  rm -f started.txt
  # A background job of a script ignores Ctrl-C; env restores it.
  env --default-signal=INT "$antler" launch --workers 2 "$@" > out.txt 2> err.txt &
  local launcher=$!
  wait_for_lines started.txt 2
  kill -s "$signal" "$launcher"
  wait "$launcher" || rc=$?
  [ "$rc" -eq "$code" ] || fail "launch and $signal: exit code $rc, not $code: $(cat out.txt err.txt)"
}
wait_for_lines() {
  local i
  for ((i = 0; i < 600; ++i)); do
    [ ! -e "$1" ] || [ "$(wc -l < "$1")" -lt "$2" ] || return 0
    sleep 0.05
  done
  fail "$1 never had $2 lines: $(cat out.txt err.txt)"
}
all_ended() {
  local pid
  while read -r pid; do
    ! kill -0 "$pid" 2> /dev/null || fail "$1: process $pid still runs"
  done < pids.txt
  rm pids.txt
}
first='case $TF_CONFIG in *\"index\":0}*) true ;; *) false ;; esac'
# Starts another process, which would survive if only the shell were killed.
long='echo $$ >> pids.txt; sleep 300 & echo $! >> pids.txt; echo >> started.txt; wait'

# Each process gets the cluster and its own task in TF_CONFIG; standard output and error stay separate.
run 0 --workers 2 -- sh -c 'echo "$TF_CONFIG"; echo "to stderr" >&2'
sort out.txt > sorted.txt
cluster=$(sed -n '1s/^\[worker 0\] {\("cluster":{"worker":\["127.0.0.1:[0-9]*","127.0.0.1:[0-9]*"\]}\),"task":{"type":"worker","index":0}}$/\1/p' sorted.txt)
[ -n "$cluster" ] || fail "TF_CONFIG of worker 0: $(cat out.txt)"
[ "$(sed -n 2p sorted.txt)" = "[worker 1] {$cluster,\"task\":{\"type\":\"worker\",\"index\":1}}" ] || fail "TF_CONFIG of worker 1: $(cat out.txt)"
[ "$(wc -l < out.txt)" -eq 2 ] || fail "output: $(cat out.txt)"
[ "$(sort err.txt | tr '\n' ' ')" = '[worker 0] to stderr [worker 1] to stderr ' ] || fail "errors: $(cat err.txt)"
run 0 --workers 2 --port-base 7000 -- sh -c 'echo "$TF_CONFIG"'
grep -q '"worker":\["127.0.0.1:7000","127.0.0.1:7001"\]' out.txt || fail "--port-base: $(cat out.txt)"

# The tasks of train_and_evaluate(): the evaluator is not part of the cluster, and outlives the chief.
run 0 --workers 2 --estimator --port-base 7000 -- sh -c 'case $TF_CONFIG in *evaluator*) sleep 1 ;; esac; echo "$TF_CONFIG"'
for task in chief worker evaluator; do
  grep -qF "[$task 0] {\"cluster\":{\"chief\":[\"127.0.0.1:7000\"],\"worker\":[\"127.0.0.1:7001\"]},\"task\":{\"type\":\"$task\",\"index\":0}}" out.txt ||
    fail "--estimator: $(cat out.txt)"
done
run 0 --workers 1 --estimator -- sh -c 'echo "$TF_CONFIG"'
[ "$(grep -c '"cluster":{"chief":\["127.0.0.1:[0-9]*"\]}' out.txt)" -eq 2 ] || fail "--estimator with one worker: $(cat out.txt)"

# Arguments arrive unchanged; so do long lines, and a last line without an end.
run 0 --workers 1 -- printf '<%s>\n' -x --workers=3 -- '[a,b]' 'two words' launch ''
printf '[worker 0] <%s>\n' -x --workers=3 -- '[a,b]' 'two words' launch '' | cmp - out.txt || fail "words: $(cat out.txt)"
run 0 --workers 2 -- sh -c 'seq 1 100000; printf end'
for i in 0 1; do
  grep "^\[worker $i\] " out.txt | cut -c 12- | cmp - <(seq 1 100000; echo end) || fail "the lines of worker $i"
done

# Threads and cores.
run 0 --workers 1 --threads-per-worker 3 -- sh -c 'echo $OMP_NUM_THREADS'
grep -qx '\[worker 0\] 3' out.txt || fail "--threads-per-worker: $(cat out.txt)"
run 0 --workers 64 -- sh -c "if $first; then echo \$OMP_NUM_THREADS; fi"
grep -qx '\[worker 0\] 1' out.txt || fail "threads of many workers: $(cat out.txt)"
run 0 --workers 1 --pin -- nproc
cores=$(nproc)
[ "$cores" -lt 2 ] || run 0 --workers "$cores" --pin -- sh -c 'taskset -pc $$ | sed "s/.*: //"'
[ "$cores" -lt 2 ] || [ "$(cut -d ' ' -f 3 out.txt | sort -u | wc -l)" -eq "$cores" ] || fail "--pin: $(cat out.txt)"
run 1 --workers 100000 --pin -- true
grep -q -e '--pin needs a core for each worker' err.txt || fail "--pin: $(cat err.txt)"

# With parameter servers there is a chief; when it ends, the servers are ended too.
run 0 --workers 1 --ps 2 -- sh -c 'echo "$TF_CONFIG"; echo >> roles.txt
  case $TF_CONFIG in *\"type\":\"chief\"*) while [ "$(wc -l < roles.txt)" -lt 4 ]; do sleep 0.05; done; exit 0 ;; esac; sleep 300'
grep -q '^\[ps 1\] .*"task":{"type":"ps","index":1}}' out.txt || fail "--ps: $(cat out.txt)"
# With --estimator, parameter servers are ended when all other tasks have ended.
rm -f roles.txt
run 0 --workers 2 --ps 1 --estimator -- sh -c 'echo "$TF_CONFIG"; echo >> roles.txt
  case $TF_CONFIG in *\"type\":\"ps\"*) sleep 300 ;; esac; while [ "$(wc -l < roles.txt)" -lt 4 ]; do sleep 0.05; done'
for task in 'chief","index":0' 'worker","index":0' 'ps","index":0' 'evaluator","index":0'; do
  grep -q "\"task\":{\"type\":\"$task}}" out.txt || fail "--ps --estimator: $(cat out.txt)"
done
[ "$(wc -l < out.txt)" -eq 4 ] || fail "--ps --estimator: $(cat out.txt)"

# A process that fails ends all, and its exit code becomes the command's.
run 7 --workers 3 -- sh -c "if $first; then while [ ! -e started.txt ] || [ \$(wc -l < started.txt) -lt 2 ]; do sleep 0.05; done; exit 7; fi; $long"
grep -q 'worker 0 ended with exit code 7; ending the others' err.txt || fail "failure: $(cat err.txt)"
all_ended "failure"
run 137 --workers 2 -- sh -c "if $first; then kill -9 \$\$; fi; sleep 300"
grep -q 'worker 0 ended with signal 9 (Killed)' err.txt || fail "killed: $(cat err.txt)"
# A process that ignores SIGTERM is killed, with everything it started.
run 3 --workers 2 --grace 1 -- sh -c "if $first; then while [ ! -e deaf.txt ]; do sleep 0.05; done; exit 3; fi; trap '' TERM; echo \$\$ >> pids.txt; touch deaf.txt; sleep 300; sleep 300"
all_ended "a process that ignores SIGTERM"
# Processes that a process leaves behind are ended, too.
run 0 --workers 1 -- sh -c 'sleep 300 & echo $! >> pids.txt'
all_ended "a process that was left behind"

# Restarts.
run 0 --workers 2 --restarts 2 -- sh -c "if $first; then echo >> tries.txt; [ \$(wc -l < tries.txt) -eq 3 ] || exit 5; fi; echo done"
[ "$(sort out.txt | tr '\n' ' ')" = '[worker 0] done [worker 1] done ' ] || fail "restarts: $(cat out.txt)"
grep -q 'worker 0 ended with exit code 5; starting it again (1 restarts left)' err.txt || fail "restarts: $(cat err.txt)"
rm tries.txt
run 6 --workers 2 --restarts 1 -- sh -c "if $first; then echo >> tries.txt; exit 6; fi; sleep 300"
[ "$(wc -l < tries.txt)" -eq 2 ] || fail "one restart, but $(wc -l < tries.txt) starts"

# Signals.
interrupt INT 130 -- sh -c "trap 'exit 0' INT; $long"
all_ended "Ctrl-C"
interrupt TERM 143 -- sh -c "$long"
all_ended "SIGTERM"
interrupt INT 130 --grace 1 -- sh -c "trap '' INT TERM; $long"
all_ended "Ctrl-C that is ignored"
interrupt KILL 137 -- sh -c 'echo $$ >> pids.txt; echo >> started.txt; exec sleep 300'
sleep 0.2
for pid in $(cat pids.txt); do
  # In some environments no process reaps orphans, so a zombie also counts as ended.
  state=$(sed 's/.*) \(.\).*/\1/' "/proc/$pid/stat" 2> /dev/null || echo gone)
  [ "$state" = Z ] || [ "$state" = gone ] || fail "SIGKILL: process $pid still runs"
done
rm pids.txt

# If the reader of the output goes away or the disk is full, all processes are ended.
rc=0
timeout 60 "$antler" launch --workers 2 -- sh -c 'while :; do echo y; done' 2> err.txt > >(head -n 1 > head.txt) || rc=$?
[ "$rc" -eq 1 ] && grep -q 'standard output' err.txt || fail "a reader that goes away: exit code $rc, $(cat err.txt)"
rc=0
timeout 60 "$antler" launch --workers 2 -- sh -c 'echo y; sleep 300' 2> err.txt > /dev/full || rc=$?
[ "$rc" -eq 1 ] && grep -q 'standard output' err.txt || fail "a full disk: exit code $rc, $(cat err.txt)"

# Other hosts. This fake ssh passes its input on to the program, which gets its own session.
mkdir bin "it's a folder"
cat > bin/ssh <<'SSH'
#!/usr/bin/env bash
echo "$*" >> "$SSH_LOG"
while [ "$1" != -- ]; do shift; done
export HOST=$2
shift 2
exec 4<&0 3< <(exec cat <&4)
cat=$!
rc=0
(cd / && exec env -u TF_CONFIG setsid -w sh -c "$*" <&3 3<&- 4<&-) || rc=$?
kill "$cat" 2> /dev/null
exit "$rc"
SSH
chmod +x bin/ssh
export SSH_LOG=$dir/ssh.txt PATH=$dir/bin:$PATH
(cd "it's a folder" && "$antler" launch --workers 3 --hosts me@a,b -- sh -c 'echo "$HOST $(pwd) $1 $TF_CONFIG"; cat' sh "it's \$HOME \"q\"") > out.txt
for line in "[worker 0] me@a" "[worker 1] b" "[worker 2] me@a"; do
  grep -qF "$line $dir/it's a folder it's \$HOME \"q\" {\"cluster\":{\"worker\":[\"a:8888\",\"b:8888\",\"a:8889\"]},\"task\":{\"type\":\"worker\",\"index\":${line:8:1}}}" out.txt || fail "--hosts: $(cat out.txt)"
done
grep -q -e '^-T -o BatchMode=yes .* -- me@a sh -c ' ssh.txt || fail "the call of ssh: $(cat ssh.txt)"
run 9 --workers 2 --hosts a,b -- sh -c "if $first; then while [ ! -e pids.txt ]; do sleep 0.05; done; exit 9; fi; $long"
all_ended "failure on another host"
interrupt INT 130 --hosts a,b --grace 1 -- sh -c "trap '' TERM; $long"
all_ended "Ctrl-C with other hosts"
run 0 --workers 1 --hosts a --threads-per-worker 5 -- sh -c 'echo $OMP_NUM_THREADS'
grep -qx '\[worker 0\] 5' out.txt || fail "threads on another host: $(cat out.txt)"
run 1 --workers 2 --hosts localhost,b -- true
grep -q "'localhost' means a different machine on each host" err.txt || fail "localhost: $(cat err.txt)"

# Wrong command lines.
run 2 --workers 0 -- true
run 2 -- true
run 2 --workers 2
run 2 --workers 1 --hosts a --pin -- true
run 1 --workers 2 -- ./no_such_program
grep -q "Cannot start worker 0: there is no program './no_such_program'" err.txt || fail "no program: $(cat err.txt)"
run 1 --workers 2 --port-base 65535 -- true
grep -q 'There is no port 65536' err.txt || fail "ports: $(cat err.txt)"
echo "launch: fine"
