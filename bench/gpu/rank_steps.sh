# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # variables of check.sh
# Steps of check.sh with several ranks on one GPU, which Open MPI of the bundle starts.

# has_open_mpi STEP: sets `ranks`, the folder of the programs with MPI, and what moves Open MPI there.
has_open_mpi() {
  ranks=$kit/ranks # of a bundle that has not left its machine
  [ -e "$ranks" ] || ranks=$work/ranks
  [ -e "$ranks" ] || ! [ -e "$kit/ranks.tar.xz" ] || unpack "$kit/ranks.tar.xz" "$ranks"
  [ -x "$ranks/bin/orterun" ] || { missing "$1" "Open MPI 4" && return 1; }
  export OPAL_PREFIX=$ranks OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none # containers may forbid the others
  export OMPI_MCA_mca_base_param_files=none PMIX_MCA_pcompress_base_silence_warning=1
}

# use_ranks NUMBER: sets `launcher` to what starts so many ranks, with its libraries for them alone.
use_ranks() {
  launcher=(env "LD_LIBRARY_PATH=$ranks:$kit${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    "$ranks/bin/orterun" --oversubscribe --bind-to none -np "$1")
}

# equivalence_on_ranks NUMBER OP2_GPU_INC=...: random programs against the reference on one rank, and the messages of CPUs.
# Each number of ranks has its own: those with an odd seed run in graphs.
equivalence_on_ranks() {
  use_ranks "$1"
  timed ranks_equivalence 40 env TEST_TARGET=cuda TEST_TILES=0 TEST_CHAINS="$(sized 15 3)" TEST_SEED="$1" "$2" \
    "${launcher[@]}" "$ranks/equivalence_mpi_test"
  found_in ranks_equivalence "RANKS=$1 $2"
}

# flow_on_ranks NUMBER OP2_CHAIN=... OP2_GPU_INC=...: between iterations 50 and 100
flow_on_ranks() {
  local every program=$ranks/airfoil
  every=$(sized 50 1)
  use_ranks "$1"
  flow ranks_airfoil 30 "$(sized 400 8)" "$(sized 600 6)" "$(sized 100 2)" "RANKS=$1" "$2" "$3"
}

# Several ranks take turns on the GPU, in 90 seconds. The host compares with the compiler for CPUs.
ranks() {
  has_open_mpi ranks && has_compiler ranks || return
  local end number
  end=$(ends_after 90)
  local deadline=$end
  for number in $(sized "1 2 4" 2); do
    in_each_form flow_on_ranks "$number" OP2_CHAIN=off
    in_each_form flow_on_ranks "$number" OP2_CHAIN=on
  done
  for number in $(sized "2 3 4" 2); do
    in_each_form equivalence_on_ranks "$number"
  done
  launcher=()
  unset OPAL_PREFIX
  export OP2_PLUGIN_DIR=$work # the others run without
}
