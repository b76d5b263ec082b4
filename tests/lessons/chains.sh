#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lesson 6: chains give the same dye with fewer exchanges, if no time step is looked for between them,
# and the run has a report.
#
#     chains.sh MPIEXEC NUMPROC_FLAG PROGRAM PYTHON SOURCE_FOLDER
set -eu
mpiexec=$1 flag=$2 program=$3 python=$4 source=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" "$source/examples/06_chains/refine_mesh.py" "$source/examples/05_mesh_to_picture/cylinder.msh" fine.msh --round wall
"$python" "$source/tools/mesh/op2-mesh" convert --quiet fine.msh fine.h5

# run CHAIN each|once: the last line of the program in $said, the exchanges in $exchanges
run() {
  OP2_CHAIN=$1 OP2_TIMING=- "$mpiexec" "$flag" 2 "$program" fine.h5 100 "$2" > out
  said=$(grep "^step .* dye" out)
  exchanges=$(sed -n 's/.*Halos: 2 ranks, \([0-9]*\) exchanges.*/\1/p' out)
  echo "$1 $2: $said, $exchanges exchanges"
}
run off each
wanted=$said separate=$exchanges
for chain in on auto; do
  for limit in each once; do
    run $chain $limit
    [ "$said" = "$wanted" ]
    case $chain-$limit in
      on-each) [ "$exchanges" -ge 99 ] ;;  # a chain ends at each time step
      on-once) [ "$((3 * exchanges))" -le "$separate" ] ;;
    esac
  done
done

OP2_CHAIN=on OP2_TIMING=timing.json OP2_TRACE=trace.json "$mpiexec" "$flag" 2 "$program" fine.h5 100 once
"$python" "$source/tools/report/op2-report" timing.json trace.json --png run.png
grep -q "step/carry" timing.html
[ -s run.png ]

if "$program" fine.h5 0 once 2>usage; then
  echo "no steps are no error" >&2
  exit 1
fi
grep -q "usage: " usage
echo "the lesson has a picture"
