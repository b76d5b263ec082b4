# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # variables of check.sh
# Steps of check.sh with the compiler for CPUs, which is unpacked when the first of them runs.

# unpack ARCHIVE FOLDER: machines without xz may have Python.
unpack() {
  mkdir -p "$2"
  timeout 40 tar -C "$2" -xJf "$1" 2>>"$results/log.txt" ||
    timeout 40 python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$1" "$2" \
      >>"$results/log.txt" 2>&1
}

# has_compiler STEP: sets OP2_PLUGIN_DIR to its folder; says what is missing if there is none.
has_compiler() {
  local folder=$work/llvm
  if [ -e "$kit/llvm/libop2_llvm.so" ]; then
    folder=$kit/llvm # of a bundle that has not left its machine
  elif [ -e "$kit/llvm.tar.xz" ] && ! [ -e "$folder" ]; then
    unpack "$kit/llvm.tar.xz" "$folder" && ln -s "$kit"/*.so* "$folder/"
  fi
  [ -e "$folder/libop2_clang.so" ] && export OP2_PLUGIN_DIR=$folder && return
  missing "$1" "LLVM, $(sed -n 's/^LLVM: //p' "$kit/contents.txt")"
  return 1
}

# ends_after SECONDS: when a step that begins now has to end.
ends_after() { echo $((SECONDS + $1 < deadline ? SECONDS + $1 : deadline)); }

# The numbers of threads: powers of two, as many as there are cores, at most 16.
numbers_of_threads() {
  local threads
  for threads in 1 2 4 8 16; do
    [ $threads -gt "$(nproc)" ] || echo $threads
  done
}

# The same programs on the cores of the machine with the GPU, in 60 seconds. A program that cannot compile a kernel fails.
cpu() {
  has_compiler cpu || return
  local end threads every
  end=$(ends_after 55)
  local deadline=$end
  export OP2_JIT=require
  every=$(sized 50 1)
  for threads in $(numbers_of_threads); do
    flow cpu_airfoil 30 "$(sized 400 8)" "$(sized 600 6)" "$(sized 100 2)" "OP2_THREADS=$threads" OP2_TARGET=cpu
  done
  # shellcheck disable=SC2046 # a list of numbers
  timed cpu_cg 30 env OP2_TARGET=cpu "$kit/cg_bench" --threads $(numbers_of_threads) --width "$(sized 1000 12)" \
    --iterations "$(sized 50 2)" --rounds "$(sized 2 1)" && own_figures cpu_cg
  every=$(sized 10 1)
  flow cpu_large 60 "$(sized 2000 10)" "$(sized 2000 6)" "$(sized 30 2)" "OP2_THREADS=$threads" OP2_TARGET=cpu
  unset OP2_JIT
  export OP2_PLUGIN_DIR=$work # the others run without
}
