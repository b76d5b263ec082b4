#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# manuals.sh FOLDER VERSION PYTHON TOOL...: writes the manual pages FOLDER/<tool>.1, from what tools print with --help. A tool
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

for tool in "$@"; do
  name=$(basename "$tool")
  if ! call "$tool" --help >"$folder/help" 2>"$folder/reason"; then
    echo "no manual page of $name: $(tail -1 "$folder/reason")" >&2
    continue
  fi
  { printf '#!/bin/sh\ncase $* in --help) cat <<"END_OF_HELP"\n'; cat "$folder/help"; printf 'END_OF_HELP\n;; esac\n'; } >"$folder/$name"
  chmod +x "$folder/$name"
  : >"$folder/more"
  for command in $(sed -n '/^Subcommands:/,$s/^  \([a-z-]\+\) .*/\1/p; /^  COMMAND/,/^$/s/^    \([a-z-]\+\) .*/\1/p' "$folder/help"); do
    { echo "[$name $command]"; echo ".nf"; call "$tool" "$command" --help | sed "s/\\\\/\\\\\\\\/g; s/^\\([.']\\)/\\\\\\&\\1/"; echo ".fi"; } >>"$folder/more"
  done
  cat >>"$folder/more" <<END
[see also]
The pages in share/doc/op2; switches of programs: any of them with
.B --op2-help
END
  help2man --no-info --section 1 --manual libop2 --source "libop2 $version" --version-string "$version" \
    --name "$(purpose "$name")" --include "$folder/more" --output "$folder/$name.1" "$folder/$name"
  rm "$folder/$name"
done
rm -f "$folder/help" "$folder/more" "$folder/reason"
