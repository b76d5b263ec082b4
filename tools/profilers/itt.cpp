// SPDX-License-Identifier: BSD-3-Clause
// A tool for OP2_TOOLS that shows parts, loops and regions as tasks of ITT, which VTune draws:
//   OP2_TOOLS=libop2_itt.so vtune -collect hotspots ./program
// Loads libittnotify.so (the shared build of Intel's ittapi), which finds the collector of VTune by
// itself; without it, it says so once and does nothing.
#include <dlfcn.h>

#include <cstdio>

#include <op2/tool.h>

#include "ranges.hpp"

namespace {

/// As ITT has them; only the first field of a domain is used: whether anybody collects.
struct Id {
  unsigned long long parts[3];
};
struct Domain {
  volatile int flags;
};

using CreateDomain = Domain* (*)(const char*);
using CreateString = void* (*)(const char*);
using BeginTask = void (*)(const Domain*, Id, Id, void*);
using EndTask = void (*)(const Domain*);

/// The library keeps pointers to functions in variables, and exchanges or clears them at the first
/// call.
template <class Function>
struct Slot {
  Function* variable = nullptr;
  void find(void* library, const char* name) {
    variable = static_cast<Function*>(dlsym(library, name));
  }
  Function function() const { return variable == nullptr ? nullptr : *variable; }
};

Slot<CreateDomain> create_domain;
Slot<CreateString> create_string;
Slot<BeginTask> begin_task;
Slot<EndTask> end_task;
Domain* domain = nullptr;

bool collects() {
  return domain != nullptr && domain->flags != 0;
}

}  // namespace

void begin_range(const std::string& name) {
  if (!collects() || create_string.function() == nullptr || begin_task.function() == nullptr)
    return;
  void* const text = create_string.function()(name.c_str());
  if (begin_task.function() != nullptr) begin_task.function()(domain, Id{}, Id{}, text);
}

void end_range() {
  if (collects() && end_task.function() != nullptr) end_task.function()(domain);
}

extern "C" {

void op2_tool_init(int, int rank, int) {
  if (void* library = dlopen("libittnotify.so", RTLD_NOW | RTLD_LOCAL)) {
    create_domain.find(library, "__itt_domain_create_ptr__3_0");
    create_string.find(library, "__itt_string_handle_create_ptr__3_0");
    begin_task.find(library, "__itt_task_begin_ptr__3_0");
    end_task.find(library, "__itt_task_end_ptr__3_0");
  }
  if (create_domain.function() != nullptr) {
    domain = create_domain.function()("op2");
  } else if (rank == 0) {
    std::fprintf(
        stderr,
        "libop2_itt: no tasks are shown: libittnotify.so is not found, or is another "
        "library; build ittapi as a shared library and add its folder to LD_LIBRARY_PATH\n");
  }
}
}
