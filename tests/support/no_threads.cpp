// SPDX-License-Identifier: BSD-3-Clause
// For LD_PRELOAD: a system that has no thread left, and with TEST_NO_PROCESSES none for
// processes.
#include <cerrno>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>

#define OP2_SEEN extern "C" __attribute__((visibility("default")))

OP2_SEEN int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept {
  return EAGAIN;
}

OP2_SEEN int posix_spawn(pid_t* process, const char* path,
                         const posix_spawn_file_actions_t* actions,
                         const posix_spawnattr_t* attributes, char* const* arguments,
                         char* const* environment) noexcept {
  if (std::getenv("TEST_NO_PROCESSES") != nullptr) return EAGAIN;
  static auto* const real =
      reinterpret_cast<decltype(&posix_spawn)>(dlsym(RTLD_NEXT, "posix_spawn"));
  return real(process, path, actions, attributes, arguments, environment);
}
