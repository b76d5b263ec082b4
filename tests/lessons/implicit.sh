#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lesson 7: the error of the finite elements is divided by about four when the mesh is twice as fine,
# on one rank and on two; the pieces of the ranks have a picture.
#
#     implicit.sh MPIEXEC NUMPROC_FLAG PROGRAM PYTHON SOURCE_FOLDER
set -eu
mpiexec=$1 flag=$2 program=$3 python=$4 source=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for layers in 4 8; do
  "$python" "$source/examples/07_implicit/pipe_mesh.py" $layers pipe.msh
  "$python" "$source/tools/mesh/op2-mesh" convert --quiet pipe.msh pipe$layers.h5
done
"$program" pipe4.h5 > one4
"$mpiexec" "$flag" 2 "$program" pipe4.h5 > two4
"$mpiexec" "$flag" 2 "$program" pipe8.h5 > two8
cat one4 two4 two8
[ "$(tail -n 1 one4)" = "$(tail -n 1 two4)" ]
grep -q "^225 nodes, 40 iterations: error 1.402e-03, heat 2.279767, known 2.266180$" two4
cat two4 two8 | sed -n 's/.* error \([^,]*\), heat \([^,]*\), known \(.*\)/\1 \2 \3/p' | awk '
  { error[NR] = $1; heat[NR] = $2 - $3 }
  function is_four(ratio) { print ratio; return ratio > 3.7 && ratio < 4.3 }
  END { exit !(is_four(error[1] / error[2]) * is_four(heat[1] / heat[2])) }'
"$python" "$source/examples/airfoil/plot_mach.py" temperature.pvtu temperature.png --field temperature
[ -s temperature.png ]

if "$program" none.h5 2>said; then
  echo "a missing file is no error" >&2
  exit 1
fi
grep -q "none.h5" said
echo "the lesson has a picture"
