#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# errors.sh PROGRAM ARGUMENT ...: an error at its very begin ends the program with its message and exit
# code 1, not with std::terminate.
set -u
said=$(OP2_THREADS=none "$@" 2>&1)
code=$?
echo "$said"
echo "exit code $code"
[ $code = 1 ] && echo "$said" | grep -q "OP2-E501.*OP2_THREADS" && ! echo "$said" | grep -q "terminate called"
