#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lesson 5 from the file of a mesh generator to a picture: two ranks begin, three go on, and the dye
# is that of one rank without an interruption.
#
#     lesson.sh MPIEXEC NUMPROC_FLAG PROGRAM PYTHON SOURCE_FOLDER
set -e
mpiexec=$1 flag=$2 program=$3 python=$4 source=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" "$source/tools/mesh/op2-mesh" convert --quiet "$source/examples/05_mesh_to_picture/cylinder.msh" cylinder.h5
"$program" cylinder.h5 3 > alone
rm dye.*
"$mpiexec" "$flag" 2 "$program" cylinder.h5 1
"$mpiexec" "$flag" 3 "$program" cylinder.h5 3 > ranks
cat ranks
grep -q "goes on after step 40" ranks
[ "$(tail -n 1 alone)" = "$(tail -n 1 ranks)" ]
[ "$(grep -c DataSet dye.pvd)" = 4 ]
"$python" "$source/examples/airfoil/plot_mach.py" dye.pvd dye.png --field dye --view -2 4 -2 2
[ -s dye.png ]

# What the page shows.
rm dye.*
"$python" "$source/tools/mesh/op2-mesh" check "$source/examples/05_mesh_to_picture/cylinder.msh" > shown
"$mpiexec" "$flag" 2 "$program" cylinder.h5 2.0 >> shown
"$mpiexec" "$flag" 3 "$program" cylinder.h5 4.0 >> shown
sed -n '/^    \$ op2-mesh check/,/^One rank/s/^    \([^$]\)/\1/p' "$source/examples/05_mesh_to_picture/README.md" | diff - shown
"$program" cylinder.h5 5 | grep -q "goes on after step 100"  # whose file any number of ranks can read
echo "the lesson has a picture"
