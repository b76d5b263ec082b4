// SPDX-License-Identifier: BSD-3-Clause
// What all uses of Scotch and PT-Scotch share.
#pragma once

#include <cstdio>  // scotch.h names FILE

#include <scotch.h>

namespace op2::comm {

/// An object of a C library, initialised in place and freed at the end of the scope.
template <class T, auto Free>
class Resource {
 public:
  /// @param check  is given the code of the call and its name; throws if it failed
  template <class Check, class Init>
  Resource(const Check& check, const char* call, const Init& init) {
    check(init(&value_), call);
  }
  ~Resource() { Free(&value_); }
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  T* get() { return &value_; }

 private:
  T value_{};
};

/// Gives the same result in every run and in every call:
/// * messages of PT-Scotch are received in a fixed order, not in that of arrival;
/// * the context has a separate random generator with a seed. In PT-Scotch it copies the process
///   number, so a graph must have been initialised before;
/// * there is one thread. Two would draw random numbers in any order, and ranks that decide by
///   different numbers deadlock.
/// @param check  is given the code of each call and its name; throws if it failed
template <class Check>
void make_deterministic(SCOTCH_Context* context, const Check& check) {
  for (const int option : {SCOTCH_OPTIONNUMDETERMINISTIC, SCOTCH_OPTIONNUMRANDOMFIXEDSEED})
    check(SCOTCH_contextOptionSetNum(context, option, 1), "SCOTCH_contextOptionSetNum");
  check(SCOTCH_contextRandomClone(context), "SCOTCH_contextRandomClone");
  SCOTCH_contextRandomSeed(context, 1);
  check(SCOTCH_contextThreadSpawn(context, 1, nullptr), "SCOTCH_contextThreadSpawn");
}

}  // namespace op2::comm
