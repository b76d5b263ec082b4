#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# manuals.sh FOLDER VERSION PYTHON TOOL...: writes the manual pages FOLDER/<tool>.1.gz, from what tools print with --help. A tool
# that does not run here, for example without a package of Python, gets none.
set -eu
folder=$1 version=$2 python=$3
shift 3
rm -rf "$folder"
mkdir -p "$folder"

# call TOOL ARGUMENT...
call() {
  if head -c 40 "$1" | grep -q python; then "$python" -B "$@"; else "$@"; fi
}

# What help2man includes after FILE: help of each command, examples.
sections() {
  commands=$(sed -n '/^Subcommands:/,$s/^  \([a-z-]\+\) .*/\1/p; /^  COMMAND/,/^$/s/^    \([a-z-]\+\) .*/\1/p' "$folder/help")
  for command in $commands; do
    echo "[$name $command]"
    call "$tool" "$command" --help | verbatim
  done
  if grep -q "$examples" "$folder/help"; then
    echo "[examples]"
    sed "1,/$examples/d" "$folder/help" | verbatim
  fi
  echo "[see also]"
  echo "share/doc/op2/docs/$(page "$name"); switches of programs: any of them with"
  echo ".B --op2-help"
}

verbatim() {
  echo ".nf"
  sed "s/\\\\/\\\\\\\\/g; s/^\\(['.[]\\)/\\\\\\&\\1/"
  echo ".fi"
}

page() {
  case $1 in
    op2-jitinspect) echo "cache.md" ;;
    op2-model | op2-plot-prediction) echo "model.md" ;;
    op2-mesh) echo "meshes.md" ;;
    op2-report) echo "performance.md" ;;
    op2-cxx | op2-embed-kernels) echo "embedding.md" ;;
  esac
}

purpose() {
  case $1 in
    op2-jitinspect) echo "look into the cache of compiled kernels, compare two runs" ;;
    op2-model) echo "predict the time of a program on many ranks" ;;
    op2-plot-prediction) echo "draw what op2-model has predicted" ;;
    op2-mesh) echo "check, draw and convert meshes for OP2 programs" ;;
    op2-report) echo "make a page with diagrams of a run" ;;
    op2-cxx) echo "compile a program and embed the sources of its kernels" ;;
    op2-embed-kernels) echo "extract the sources of the kernels of a program" ;;
    *) echo "a tool of libop2" ;;
  esac
}

examples='^[Ee]xamples\?:$'
for tool in "$@"; do
  name=$(basename "$tool")
  if ! COLUMNS=300 call "$tool" --help >"$folder/help" 2>"$folder/reason"; then
    echo "no manual page of $name: $(tail -1 "$folder/reason")" >&2
    continue
  fi
  sections >"$folder/more"
  # What help2man calls: the usage in one line, with the capital that it looks for, and no examples.
  sed -i "s/^usage:/Usage:/; /$examples/,\$d" "$folder/help"
  { printf '#!/bin/sh\ncase $* in --help) cat <<"END_OF_HELP"\n'; cat "$folder/help"; printf 'END_OF_HELP\n;; esac\n'; } >"$folder/$name"
  chmod +x "$folder/$name"
  help2man --no-info --section 1 --manual libop2 --source "libop2 $version" --version-string "$version" \
    --name "$(purpose "$name")" --include "$folder/more" --output "$folder/$name.1" "$folder/$name"
  gzip -9n "$folder/$name.1"
  rm "$folder/$name"
done
rm -f "$folder/help" "$folder/more" "$folder/reason"
