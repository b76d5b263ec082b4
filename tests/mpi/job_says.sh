#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# job_says.sh CODE TEXT COMMAND ...: the command ends by itself within 30 seconds, with that exit code
# ("failure": any but 0), and a line of what it prints matches the extended regular expression.
set -u
code=$1 text=$2
shift 2
said=$(timeout -k 5 30 "$@" 2>&1)
got=$?
case $code/$got in
  failure/124|failure/137) what="did not end" ;;
  failure/0) what="ended with 0" ;;
  failure/*|"$got"/*) what= ;;
  *) what="ended with $got and not with $code" ;;
esac
echo "$said" | grep -Eq "$text" || what="${what:+$what, and }did not say '$text'"
[ -z "$what" ] && exit 0
echo "$said"
echo "the job $what" >&2
exit 1
