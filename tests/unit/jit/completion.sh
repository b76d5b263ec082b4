#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# completion.sh JITINSPECT SCRIPT: what bash proposes after the words of a command line.
set -eu
program=$1
# shellcheck source=/dev/null
source "$2"
OP2_CACHE_DIR=$(mktemp -d)
export OP2_CACHE_DIR
trap 'rm -r "$OP2_CACHE_DIR"' EXIT

# proposes "EXPECTED" WORD...: the last word is the one to complete.
proposes() {
  local expected=$1
  shift
  COMP_WORDS=("$program" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _op2_jitinspect "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  [ "${COMPREPLY[*]}" = "$expected" ] && return
  echo "after '$*': '${COMPREPLY[*]}' instead of '$expected'" >&2
  exit 1
}

proposes "diff list prune show stats verify why-missed" ""
proposes "show stats" s
proposes "--help --version" --
proposes "--asm" show --a
proposes "--dir --dry-run" prune --d
proposes "cpu cuda facts" list --target ""
proposes "" prune --max-mb ""
proposes "$2" diff "${2%h}"
proposes "" show ""

# A cache as `list` shows it, one kernel with a name that must not be executed.
program=$OP2_CACHE_DIR/inspect
cat >"$program" <<'list'
#!/bin/sh
[ "$*" = "list --dir there" ] && printf 'key  kernel\n0123ab  flux  flux\n4567cd  $(touch${IFS}made)  x\n'
list
chmod +x "$program"
cd "$OP2_CACHE_DIR"
proposes "0123ab 4567cd flux" show --dir there ""
proposes "flux" why-missed --dir there f
if [ -e made ]; then
  echo "the name of a kernel was executed" >&2
  exit 1
fi
