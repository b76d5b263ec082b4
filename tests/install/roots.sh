#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Read by tests that need a clean system: a root of a release of Debian, with packages from where this machine has its own.
skip() {
  echo "skipped: $1"
  exit 77
}
need_root() {
  [ "$(id -u)" -eq 0 ] || skip "a root folder needs root"
}
for tool in mmdebstrap apt-get; do
  command -v $tool >/dev/null || skip "$tool is missing"
done
# source_of PATTERN: the address of the first source of Debian's packages whose release is like that.
source_of() {
  # shellcheck disable=SC2016 # the format is apt's
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
    awk -v pattern="$1" '$1 ~ pattern {print $2; exit}'
}
mirror=$(source_of '^[^-]+$')
[ -n "$mirror" ] || skip "this machine has no source of Debian's packages: apt-get update finds none"

exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- # apt would get a file number above 9, which sh cannot use

# in_root RELEASE PACKAGES HOOK...: makes a root with these packages, in which mmdebstrap executes the hooks; it is removed then.
in_root() {
  release=$1 packages=$2
  shift 2
  for hook in "$@"; do
    shift
    set -- "$@" "--customize-hook=$hook"
  done
  mmdebstrap --variant=apt --include="$packages" "$@" "$release" /dev/null "deb $mirror $release main"
}

# pack_tree SOURCE FILE: the source as a tar archive, without what was built.
pack_tree() {
  tar -C "$1" --exclude=./build --exclude=./.git --exclude=./.cache -cf "$2" .
}
