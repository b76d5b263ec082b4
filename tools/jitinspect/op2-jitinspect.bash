# SPDX-License-Identifier: BSD-3-Clause
# Completion of op2-jitinspect in bash: commands and options as --help names them, keys and kernels as
# the cache has them, files for diff.

_op2_jitinspect_commands() {
  "$1" --help 2>/dev/null | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\).*/\1/p'
}

# _op2_jitinspect_options PROGRAM [COMMAND]
_op2_jitinspect_options() {
  "$@" --help 2>/dev/null | sed -n 's/^ *\(-[^ ]*\).*/\1/p' | tr ',' '\n'
}

# Names that bash would expand are left out: entries are not trusted.
_op2_jitinspect_entries() {
  "$@" 2>/dev/null | awk 'NR > 1 && $1 ~ /^[0-9a-f]+$/ { print $1; if ($2 ~ /^[A-Za-z0-9_+]+$/) print $2 }'
}

_op2_jitinspect() {
  local program=$1 word=$2 previous=$3 command="" words="" i
  local list=("$1" list)
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i - 1]} == --dir ]]; then
      list+=(--dir "${COMP_WORDS[i]}")
    elif [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${command:-${COMP_WORDS[i]}}
    fi
  done
  case $previous in
    --dir) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --target) words="cpu cuda facts" ;;
    --max-mb | --older-than) ;;
    *)
      case $word:$command in
        -*) words=$(_op2_jitinspect_options "$program" ${command:+"$command"}) ;;
        *:) words=$(_op2_jitinspect_commands "$program") ;;
        *:show | *:why-missed) words=$(_op2_jitinspect_entries "${list[@]}") ;;
        *:diff) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word" | sort -u)
}

complete -F _op2_jitinspect op2-jitinspect
