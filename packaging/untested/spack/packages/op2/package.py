# SPDX-License-Identifier: BSD-3-Clause
"""Untested: libop2 for Spack."""
from spack.package import *  # noqa: F403, as every package of Spack does


class Op2(CMakePackage):  # noqa: F405
    """Unstructured-mesh loops with lazy evaluation and run-time compilation."""

    homepage = "https://op-dsl.github.io"
    license("BSD-3-Clause")
    version("main")  # from a folder of the source: spack dev-build

    variant("mpi", default=True, description="Several ranks")
    variant("hdf5", default=True, description="Meshes and results in files")
    variant("scotch", default=True, description="Partitioning and renumbering by graphs")
    variant("hwloc", default=True, description="Threads are pinned")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("llvm@19.1 +clang +llvm_dylib", type=("build", "link", "run"))
    depends_on("fmt")
    depends_on("spdlog +fmt_external")
    depends_on("nlohmann-json")
    depends_on("cli11", type="build")
    depends_on("libsodium")
    depends_on("sleef", type="run")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("hdf5@1.10: +mpi", when="+hdf5+mpi")
    depends_on("hdf5@1.10: ~mpi", when="+hdf5~mpi")
    depends_on("scotch@7: +mpi", when="+scotch+mpi")
    depends_on("scotch@7: ~mpi", when="+scotch~mpi")
    depends_on("hwloc@2:", when="+hwloc")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("OP2_BUILD_TESTS", False),
            self.define("OP2_BUILD_EXAMPLES", False),
            self.define("OP2_WITH_LLVM", True),
            self.define_from_variant("OP2_WITH_MPI", "mpi"),
            self.define_from_variant("OP2_WITH_HDF5", "hdf5"),
            self.define_from_variant("OP2_WITH_SCOTCH", "scotch"),
            self.define("OP2_WITH_PTSCOTCH", self.spec.satisfies("+scotch+mpi")),
            self.define_from_variant("OP2_WITH_HWLOC", "hwloc"),
        ]
