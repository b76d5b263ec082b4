// SPDX-License-Identifier: BSD-3-Clause
// A tool for OP2_TOOLS that shows parts, loops and regions as ranges of NVTX, which Nsight Systems
// draws:
//   OP2_TOOLS=libop2_nvtx.so nsys profile ./program
// Loads libnvToolsExt.so.1 of CUDA when the session begins; without it, it says so once and does
// nothing.
#include <dlfcn.h>

#include <cstdio>

#include <op2/tool.h>

#include "ranges.hpp"

namespace {

using Push = int (*)(const char*);
using Pop = int (*)();

/// Of the process, which has one tool.
Push push = nullptr;
Pop pop = nullptr;

}  // namespace

void begin_range(const std::string& name) {
  if (push != nullptr) push(name.c_str());
}

void end_range() {
  if (pop != nullptr) pop();
}

extern "C" {

void op2_tool_init(int, int rank, int) {
  void* library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libnvToolsExt.so", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) {
    push = reinterpret_cast<Push>(dlsym(library, "nvtxRangePushA"));
    pop = reinterpret_cast<Pop>(dlsym(library, "nvtxRangePop"));
  }
  if (push != nullptr && pop != nullptr) return;
  push = nullptr;
  pop = nullptr;
  if (rank == 0)
    std::fprintf(
        stderr,
        "libop2_nvtx: no ranges are shown: libnvToolsExt.so.1 is not found; add its folder "
        "(lib64 of CUDA) to LD_LIBRARY_PATH\n");
}
}
