#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails if libop2 calls a function of MPI that the network model neither takes over nor may leave.

usage: network_model_coverage.py libop2.so libnetmodel.so
"""
import subprocess
import sys

# These only ask or describe: they neither send, nor wait, nor tell the time. MPI_Abort ends all, and
# MPI_Ibarrier is called by programs that end MPI during a session.
COST_NOTHING = {
    "MPI_Abort", "MPI_Comm_c2f", "MPI_Comm_create_keyval", "MPI_Comm_delete_attr", "MPI_Comm_f2c",
    "MPI_Comm_free_keyval", "MPI_Comm_get_attr", "MPI_Comm_rank",
    "MPI_Comm_set_attr", "MPI_Comm_set_errhandler", "MPI_Comm_size", "MPI_Error_class", "MPI_Error_string",
    "MPI_Finalized", "MPI_Get_count", "MPI_Get_library_version", "MPI_Ibarrier", "MPI_Initialized", "MPI_Op_create",
    "MPI_Op_free", "MPI_Query_thread", "MPI_Request_get_status", "MPI_Type_commit", "MPI_Type_contiguous",
    "MPI_Type_free",
}


def symbols(library, kind):
    lines = subprocess.run(["nm", "-D", kind, library], check=True, capture_output=True,
                           text=True).stdout.split()
    return {word for word in lines if word.startswith("MPI_")}


def main(libop2, netmodel):
    called = symbols(libop2, "--undefined-only")
    forgotten = called - symbols(netmodel, "--defined-only") - COST_NOTHING
    for name in sorted(forgotten):
        print(f"libop2 calls {name}, which the network model does not know")
    if not called:
        print(f"{libop2} calls no function of MPI")
    print(f"{len(called)} functions of MPI are called, {len(forgotten)} unknown")
    return 0 if called and not forgotten else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
