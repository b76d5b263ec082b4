#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# setup.sh SETUP WORK: what tools/setup.sh installs on systems that offer different packages. Programs of a folder stand for
# apt-get and the like: they look into the files `installed`, `offered` (as apt-get update finds it) and `lists` (as it is known).
set -eu
setup=$1 work=$2
rm -rf "$work"
mkdir -p "$work/bin"
cd "$work"
cat >bin/dpkg-query <<'END'
#!/bin/sh
for package in "$@"; do :; done
! grep -qx "$package" installed || echo installed
END
cat >bin/apt-cache <<'END'
#!/bin/sh
if [ $# = 1 ]; then
  [ ! -s lists ] || echo "release o=Debian,c=main"
elif cat installed lists | grep -qx "$2"; then
  echo "  Candidate: 1.0"
else
  echo "  Candidate: (none)"
fi
END
cat >bin/apt-get <<'END'
#!/bin/sh
[ ! -e broken ] || exit 100
case $2 in
  update) cp offered lists ;;
  install)
    shift 4
    for package in "$@"; do
      grep -qx "$package" lists || exit 100
      echo "$package" >>installed
    done
    ;;
esac
END
cat >bin/id <<'END'
#!/bin/sh
cat user
END
chmod +x bin/*
echo 0 >user
: >installed

# run TEXT...: it succeeds and says each.
run() {
  PATH="$work/bin:/usr/bin:/bin" "$setup" >out 2>&1 || fail "setup.sh fails"
  for text in "$@"; do grep -qF "$text" out || fail "not said: $text"; done
}
fail() {
  echo "$1" >&2
  cat out >&2
  exit 1
}
llvm() {
  for name in llvm-@-dev libclang-@-dev libclang-cpp@-dev libclang-common-@-dev libpolly-@-dev libclang-rt-@-dev; do
    echo "${name%@*}$1${name#*@}"
  done
}

# What it asks for on a system that offers nothing is what the others offer.
: >lists
: >offered
run "not offered here, and left out:" "only the host functions of kernels run" "apt.llvm.org"
sed -n 's/.*left out: *//p' out | tr ' ' '\n' | grep -v -e '-19-\|cpp19' >base
[ "$(wc -l <base)" -gt 20 ] || fail "few packages are asked for"

# A new system: nothing is known before apt-get update. Of several versions of LLVM it takes one.
{ cat base; llvm 18; llvm 19; llvm 22; } >offered
run "setup: installing" "llvm-19-dev"
! grep -q -e 'llvm-\(18\|22\)-dev' installed || fail "two versions of LLVM are installed"
run "all packages are installed"

# One without version 19, then one that lacks a package, too.
: >installed
: >lists
{ cat base; llvm 17; llvm 18; } >offered
run "llvm-18-dev"
: >installed
{ grep -v python3-meshio base; llvm 22; } >offered
run "llvm-22-dev" "left out: python3-meshio"
! grep "apt.llvm.org" out || fail "LLVM is there"

# What is left out does not ask for root again; what is installed wins over what is offered.
echo 1000 >user
llvm 19 >>offered
cp offered lists
run "left out: python3-meshio"
! grep -q "llvm-19-dev" out || fail "another version of LLVM is asked for"

# Without root, or when packages cannot be had, it says what is missing, and what to do.
cat >bin/sudo <<'END'
#!/bin/sh
exec "$@"
END
sed -i '/^libfmt-dev$/d' installed
touch broken
chmod +x bin/sudo
! PATH="$work/bin:/usr/bin:/bin" "$setup" >out 2>&1 || fail "succeeds without packages"
for text in "apt-get update failed; missing: libfmt-dev" "tools/bootstrap.sh"; do
  grep -qF "$text" out || fail "not said: $text"
done
