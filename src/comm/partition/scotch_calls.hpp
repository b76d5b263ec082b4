// SPDX-License-Identifier: BSD-3-Clause
// What all uses of Scotch and PT-Scotch share.
#pragma once

#include <cstdio>  // scotch.h names FILE

#include <scotch.h>

namespace op2::comm {

/// A Scotch structure that is freed at the end of the scope.
template <class T, auto Exit>
struct Scoped {
  T value{};
  ~Scoped() { Exit(&value); }
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
