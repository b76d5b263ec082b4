#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pages.sh PREFIX: what installed programs, libraries and manual pages name is installed: pages as share/doc/op2/docs/<page>.md, in
# comments of headers as docs/<page>.md, and nothing that only the source tree has.
set -eu
cd "$1"
failed=0
count=0
# shellcheck disable=SC2044 # an installation has no names with blanks
for file in $(find . -path ./share/doc -prune -o -type f -print); do
  for name in $(strings -a "$file" | grep -oE '[a-zA-Z0-9_./-]*(docs/[a-zA-Z0-9_-]+\.md|setup\.sh)'); do
    count=$((count + 1))
    case $file:$name in
      ./include/*:docs/*) page=share/doc/op2/$name ;;
      *) page=$name ;;
    esac
    case $page in
      share/doc/op2/docs/*.md) [ -f "$page" ] && continue ;;
    esac
    echo "$file names $name, which a user of this installation does not find" >&2
    failed=1
  done
done
echo "checked $count names of pages"
[ $count -gt 10 ] || failed=1
exit $failed
