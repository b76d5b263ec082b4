#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests and measures OP2_TARGET=cuda on the machine on which it runs, with the programs beside it
# (bench/gpu/bundle.sh). Ends by itself in less than nine minutes. It only reads the GPU's settings.
set -uo pipefail
kit=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'END'
usage: check.sh FOLDER [--quick] [--steps "STEP ..."]

Writes FOLDER/results.jsonl, one line of JSON per figure, and FOLDER/log.txt, what the programs printed.
  --quick  tiny meshes and few repetitions: to see whether the steps work
  --steps  only these; all: versions gpu compile device scheme kernels equivalence sanitizer airfoil cg tiny host counters large
           cpu ranks
The exit code is 1 if a step failed, and 3 if none could measure anything, because a GPU or tools are missing.
END
}

all_steps="versions gpu compile device scheme kernels equivalence sanitizer airfoil cg tiny host counters large cpu ranks"
steps=$all_steps results="" quick=""

# A mistake on the command line.
wrong() {
  echo "check: $1" >&2
  usage >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case "$1" in
    --quick) quick=yes ;;
    --steps)
      [ -n "${2:-}" ] || wrong "--steps needs names of steps"
      steps=$2 && shift
      ;;
    --help) usage && exit ;;
    -*) wrong "there is no option $1" ;;
    *) results=$1 ;;
  esac
  shift
done
[ -n "$results" ] || wrong "FOLDER is missing"
for step in $steps; do
  case " $all_steps " in *" $step "*) ;; *) wrong "there is no step $step" ;; esac
done
mkdir -p "$results" && results=$(cd "$results" && pwd) || exit 2
: >"$results/results.jsonl"
: >"$results/log.txt"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
deadline=$((SECONDS + 520))
failures=0 failed="" ran="" lacking=""

# What a step asks of the GPU, in full and for a test of these steps.
sized() { [ -n "$quick" ] && echo "$2" || echo "$1"; }

# Only what says where the driver and NVRTC are is taken from the environment.
for name in $(compgen -e OP2_); do
  case $name in OP2_CUDA_DRIVER | OP2_NVRTC | OP2_EMU_*) ;; *) unset "$name" ;; esac
done
# What LLVM has proven elsewhere of the kernels' sources: without it plans of Airfoil move more bytes.
mkdir -m 700 "$work/cache"
facts=$(find "$kit/facts" -name '*.op2' 2>/dev/null | wc -l)
[ "$facts" = 0 ] || install -m 600 "$kit"/facts/*.op2 "$work/cache/"
export OP2_CACHE_DIR=$work/cache OP2_PLUGIN_DIR=$work CUDA_CACHE_DISABLE=1
if [ -z "${OP2_CUDA_DRIVER:-}" ] && ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
  for driver in /usr/lib/wsl/lib/libcuda.so.1 /usr/local/nvidia/lib64/libcuda.so.1 /usr/local/nvidia/lib/libcuda.so.1; do
    [ -e "$driver" ] || continue
    export OP2_CUDA_DRIVER=$driver
    break  # as programs do
  done
fi

# ---- lines of JSON ----

quoted() { printf '"%s"' "$(printf '%s' "$1" | tr '\n\t' '  ' | sed 's/[\\"]/\\&/g')"; }

# line STEP 'FIELDS'
line() { printf '{"step": "%s", %s}\n' "$1" "$2" >>"$results/results.jsonl"; }

# fails WHAT: for the last lines
fails() {
  failures=$((failures + 1))
  failed="$failed $1"
}

missing() {
  line "$1" "\"status\": \"missing\", \"what\": $(quoted "$2")"
  lacking="$lacking $1 ($2)"
}

# timed STEP SECONDS COMMAND ...: runs it under a limit, with its output in $work/output and in the log.
timed() {
  local step=$1 limit=$2 begin=$EPOCHREALTIME status=passed code
  shift 2
  : >"$work/output"
  local left=$((deadline - SECONDS))
  [ "$limit" -le "$left" ] || limit=$left
  if [ "$limit" -le 0 ]; then
    line "$step" '"status": "no time left"'
    fails "$step"
    return 1
  fi
  echo "== $step: $*" >>"$results/log.txt"
  timeout -k 5 "$limit" "$@" >"$work/output" 2>&1 </dev/null
  code=$?
  tail -c 200000 "$work/output" >>"$results/log.txt"
  case $code in 0) ;; 124 | 137) status="over its time" ;; *) status=failed ;; esac
  [ $code = 0 ] || fails "$step"
  ran=yes
  line "$step" "\"status\": \"$status\", \"exit\": $code, \"seconds\": $(
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')"
  return $code
}

# The lines of JSON that a program printed, as figures of a step.
own_figures() { sed -n "s/^{/{\"step\": \"$1\", /p" "$work/output" >>"$results/results.jsonl"; }

# What is beyond its limit is a failure, but for tiny meshes.
within_limit() {
  [ -n "$quick" ] || ! grep -q '"within_limit": false' "$work/output" || fails "a limit"
}

# ---- the steps ----

# What the driver supports, as it says itself: "CUDA 12.4".
version_of_driver() {
  "$kit/device_bench" --driver-version 2>>"$results/log.txt" || echo "unknown: no driver that could be loaded"
}

versions() {
  line versions "\"machine\": $(quoted "$(uname -srm)"), \"cores\": $(nproc), \"c_library\": $(
    quoted "$(getconf GNU_LIBC_VERSION)"), \"nvcc\": $(
    quoted "$(nvcc --version 2>/dev/null | sed -n 's/.*release //p')"), \"driver\": $(
    quoted "$(version_of_driver)"), \"date\": \"$(date -u +%FT%TZ)\""
  while IFS=: read -r name value; do
    line versions "\"of\": $(quoted "$name"), \"is\": $(quoted "${value# }")"
  done <"$kit/contents.txt"
  if [ "$facts" != 0 ]; then
    line facts "\"entries\": $facts"
  else
    missing facts "what LLVM proves of kernels: pull stores sums that are zero, 128 bytes more per cell and iteration of Airfoil"
  fi
}

gpu() {
  command -v nvidia-smi >/dev/null || { missing gpu nvidia-smi && return; }
  local fields=name,driver_version,memory.total,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit
  timed gpu 20 nvidia-smi --query-gpu=$fields --format=csv,noheader || return
  while read -r device; do line gpu "\"fields\": \"$fields\", \"device\": $(quoted "$device")"; done <"$work/output"
}

# Twice: the second time NVRTC is in the page cache, and the limit of processor time counts.
compile() {
  timed compile_first 60 "$kit/device_bench" --compile-for sm_90 || return
  timed compile 60 "$kit/device_bench" --compile-for sm_90 || return
  own_figures compile
  within_limit
}

device() {
  timed device 60 "$kit/device_bench" --copy-mb "$(sized 2048 1)" --launches "$(sized 200 9)" \
    --rounds "$(sized 10 2)" && own_figures device
}

# Ways to add through maps and to sum, with blocks and chunks of several sizes: what generated kernels fix.
scheme() {
  timed scheme 40 "$kit/device_bench" --schemes "$(sized 3000000 200)" --rounds "$(sized 10 1)" && own_figures scheme
}

# What the library makes of launches and graphs, and generated kernels alone, against the host.
kernels() {
  timed program 30 env OP2_EMU_ABSENT=allowed "$kit/program_on_device_test" # asks for what is not there
  timed kernels 60 "$kit/gpu_kernels_test"
}

# Both ways in which increments can run: in_each_form RUN ARGUMENT ... calls RUN with OP2_GPU_INC=... behind its arguments.
in_each_form() {
  local form
  for form in rows pull; do "$@" "OP2_GPU_INC=$form"; done
}

# found_in STEP SETTINGS: what the test checked, and how many kernels the compiler has refused
found_in() {
  local refused
  refused=$(grep -c "kernel '.*' runs as a host function" "$work/output")
  [ "$refused" = 0 ] || fails "$1"
  line "$1" "\"settings\": \"$2\", \"found\": $(quoted "$(grep -E '^checked' "$work/output")"), \"refused_kernels\": $refused"
}

# Random programs against the reference executor, which calls the kernels as functions of the host. Without LLVM so does
# the host with loops whose elements have an order; but the compiler for GPUs must not refuse a kernel.
equivalence_in() {
  timed equivalence 100 env TEST_TARGET=cuda TEST_TILES=0 TEST_JIT=on TEST_CHAINS="$(sized 120 4)" "$@" \
    "$kit/equivalence_test"
  found_in equivalence "$*"
}

# Programs of an even seed have tables, which say how often rows gathered, and run loop by loop instead of as graphs.
equivalence() {
  in_each_form equivalence_in
  [ -n "$quick" ] || equivalence_in OP2_GPU_INC=pull TEST_SEED=300 TEST_CHAINS=25 TEST_GATHERS=1
}

# run_flow STEP SECONDS CELLS-AROUND CELLS-AWAY ITERATIONS [NAME=VALUE ...]: Airfoil. Of callers: $every, iterations between
# two lines of output, $program, and $launcher, which starts it.
launcher=()
run_flow() {
  local step=$1 limit=$2 around=$3 away=$4 iterations=$5
  shift 5
  timed "$step" "$limit" env OP2_TARGET=cuda "$@" "${launcher[@]}" "${program:-$kit/airfoil}" --size "$around" "$away" \
    --iterations "$iterations" --every "${every:-100}"
}

# The same, timed by the program's own output between its first and its last line, so without compilation. A run whose
# residual after 100 iterations is not the known one has failed, and has its figures here, too.
flow() {
  run_flow "$@"
  grep -q ' of .* residual ' "$work/output" || return
  awk -v step="$1" -v settings="${*:6}" '
    /^mesh:/ { cells = $4 }
    $1 == 100 && $2 == "of" { at_100 = $5 }
    /^iteration +100: .*relative deviation/ { deviation = $0; sub(/.*relative deviation /, "", deviation); sub(/ .*/, "", deviation) }
    $2 == "of" && /residual/ { if (n == 0) { first = $1; begin = $6 } n++; last = $1; end = $6; residual = $5 }
    END {
      if (n > 1) { iterations = last - first; seconds = end - begin } else { iterations = last; seconds = end }
      printf "{\"step\": \"%s\", \"settings\": \"%s\", \"cells\": %d, ", step, settings, cells
      printf "\"iterations\": %d, \"us_per_iteration\": %.2f, ", iterations, 1e6 * seconds / iterations
      printf "\"with_start\": %s, \"residual\": %s, \"at\": %d, ", (n > 1 ? "false" : "true"), number(residual), last
      printf "\"residual_at_100\": %s, \"deviation_at_100\": %s}\n", number(at_100), number(deviation)
    }
    function number(text) { return text ~ /^[0-9.e+-]+$/ ? text : "null" }' "$work/output" >>"$results/results.jsonl"
}

# The same, with the library's table of loops, for which each loop is launched and waited for by itself.
flow_by_loop() {
  OP2_TIMING=$work/loops.csv run_flow "$@" || return
  awk -F, -v step="$1" -v settings="${6:-}" 'NR > 1 && $2 > 0 {
    gsub(/"/, "")
    printf "{\"step\": \"%s\", \"settings\": \"%s\", \"loop\": \"%s\", ", step, settings, $1
    printf "\"calls\": %d, \"us_per_call\": %.3f, ", $2, 1e6 * $5 / $2
    printf "\"bytes_per_call\": %.0f, \"gb_per_s\": %s, \"code\": \"%s\"}\n", $6 / $2, $7, $9
  }' "$work/loops.csv" >>"$results/results.jsonl"
}

# Five loops under each of NVIDIA's checkers, one kernel per loop; the kernels are in the cache before.
sanitizer_in() {
  run_flow sanitizer_none 30 24 16 2 "$1"
  for tool in memcheck initcheck racecheck; do
    timed "sanitizer_$tool" 30 env OP2_TARGET=cuda "$1" compute-sanitizer --tool $tool --error-exitcode 9 \
      "$kit/airfoil" --size 24 16 --iterations 2
    line "sanitizer_$tool" "\"settings\": \"$1\", \"found\": $(quoted "$(grep 'SUMMARY' "$work/output")")"
  done
}

sanitizer() {
  command -v compute-sanitizer >/dev/null || { missing sanitizer compute-sanitizer && return; }
  export OP2_DEBUG=no_fuse
  in_each_form sanitizer_in
  unset OP2_DEBUG
}

airfoil() {
  local around away few
  around=$(sized 400 8) away=$(sized 600 6) few=$(sized 100 2)
  in_each_form flow airfoil 45 "$around" "$away" "$(sized 1000 3)"
  in_each_form flow_by_loop airfoil_by_loop 45 "$around" "$away" "$few"
  export OP2_DEBUG=no_fuse
  in_each_form flow_by_loop airfoil_by_loop_unfused 45 "$around" "$away" "$few"
  unset OP2_DEBUG
}

large() {
  in_each_form flow large 80 "$(sized 2000 10)" "$(sized 2000 6)" "$(sized 300 2)"
  in_each_form flow_by_loop large_by_loop 80 "$(sized 2000 10)" "$(sized 2000 6)" "$(sized 30 2)"
}

cg() {
  timed cg 60 env OP2_TARGET=cuda "$kit/cg_bench" --threads 1 --width "$(sized 1000 12)" \
    --iterations "$(sized 50 2)" --rounds "$(sized 3 1)" && own_figures cg
}

tiny() {
  local iterations
  iterations=$(sized 2000 2)
  for size in $(sized "10x8 20x20 40x60 80x120" 6x4); do
    flow tiny 20 "${size%x*}" "${size#*x}" "$iterations"
  done
}

# What the host does for a chain that repeats; the limit is for a processor that does nothing else.
host_in() {
  timed host 30 env OP2_TARGET=cuda OP2_THREADS=1 "$1" "$kit/host_time_bench" \
    --rounds "$(sized 500 2)" --size "$(sized 40 6)" "$(sized 60 4)" || return
  sed -n "s/^{/{\"step\": \"host\", \"settings\": \"$1\", /p" "$work/output" >>"$results/results.jsonl"
  within_limit
}

host() { in_each_form host_in; }

# Of the kernels of a half step, one per loop, which is all that OP2_TIMING is for here: adt_calc, res_calc, bres_calc,
# update and what folds its sum, after the first iteration and save_soln of the second. Clocks stay as they are.
counters() {
  command -v ncu >/dev/null || { missing counters ncu && return; }
  local metrics=gpu__time_duration.sum,dram__bytes.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed
  metrics=$metrics,lts__throughput.avg.pct_of_peak_sustained_elapsed,launch__registers_per_thread
  metrics=$metrics,sm__warps_active.avg.pct_of_peak_sustained_active
  local around away
  around=$(sized 400 8) away=$(sized 600 6)
  export OP2_DEBUG=no_fuse OP2_TIMING=$work/loops.csv
  run_flow counters_none 45 "$around" "$away" 3
  timed counters 60 env OP2_TARGET=cuda ncu --clock-control none --csv --metrics $metrics \
    --launch-skip 12 --launch-count 5 "$kit/airfoil" --size "$around" "$away" --iterations 3
  unset OP2_DEBUG OP2_TIMING
  while read -r row; do line counters "\"csv\": $(quoted "$row")"; done < <(grep '^"' "$work/output")
}

# shellcheck source=bench/gpu/cpu_steps.sh
. "$kit/cpu_steps.sh"
# shellcheck source=bench/gpu/rank_steps.sh
. "$kit/rank_steps.sh"

has_gpu() { [ -n "${OP2_CUDA_DRIVER:-}" ] || [ -e /dev/nvidiactl ] || nvidia-smi -L >/dev/null 2>&1; }

for step in $steps; do
  case $step in
    versions | gpu | compile | cpu) $step ;;
    device | scheme | kernels | equivalence | sanitizer | airfoil | large | cg | tiny | host | counters | ranks)
      if has_gpu; then $step; else missing "$step" "a GPU"; fi
      ;;
  esac
done
line end "\"failures\": $failures, \"seconds\": $SECONDS"
echo "check: $failures failures; $results/results.jsonl has $(wc -l <"$results/results.jsonl") lines"
[ $failures = 0 ] || echo "check: failed:$failed; what they printed is in $results/log.txt"
[ -z "$lacking" ] || echo "check: not measured, because something is missing:$lacking"
[ $failures = 0 ] || exit 1
[ -n "$ran" ] || [ -z "$lacking" ] || exit 3
