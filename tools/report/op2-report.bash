# SPDX-License-Identifier: BSD-3-Clause
# Completion of op2-report and op2-model in bash: options and commands as --help names them, and files.

# _op2_options PROGRAM [COMMAND]
_op2_options() {
  "$@" --help 2>/dev/null | grep -o -- '^ *-[^[]*' | grep -o -- '-\{1,2\}[A-Za-z][A-Za-z-]*' | sort -u
}

_op2_report() {
  local program=$1 word=$2 previous=$3
  case $previous in
    --bandwidth) mapfile -t COMPREPLY < <(compgen -W measure -- "$word"); return ;;
    --peak) COMPREPLY=(); return ;;
  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$(_op2_options "$program")" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}

_op2_model() {
  local program=$1 word=$2 previous=$3 command=""
  [[ $COMP_CWORD -eq 1 ]] || command=${COMP_WORDS[1]}
  case $previous:$word:$command in
    --folder:*) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *:-*:*) mapfile -t COMPREPLY < <(compgen -W "$(_op2_options "$program" ${command:+"$command"})" -- "$word") ;;
    *:*:)
      mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null |
        sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\).*/\1/p')" -- "$word")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}

complete -o filenames -F _op2_report op2-report
complete -o filenames -F _op2_model op2-model
