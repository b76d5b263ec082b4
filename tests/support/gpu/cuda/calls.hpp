// SPDX-License-Identifier: BSD-3-Clause
// What all functions of the driver have in common: planned failures, the current context and its
// lock, and the numbers that they return.
#pragma once

#include <exception>
#include <mutex>
#include <string>

#include "machine.hpp"

namespace op2::test::gpu::cuda {

/// Turns what `action` throws into what the function returns.
template <class Action>
int result_of(Action action) noexcept {
  try {
    return action();
  } catch (const DriverError& error) {
    return error.code;
  } catch (const OutOfMemory&) {
    return Code::out_of_memory;
  } catch (const std::exception& error) {
    machine().report(error.what());
    return Code::unknown;
  }
}

/// A function that needs no context.
template <class Action>
int call(const char* function, Action action) noexcept {
  return result_of([&] {
    Machine& all = machine();
    all.count(function);
    if (!all.is_initialized()) return Code::not_initialized;
    action(all);
    return Code::success;
  });
}

/// A function that works in the current context. What it finds wrong loses the device.
/// @param details  what it is to do, for the report that it was left out: details(context)
template <class Action, class Details>
int call_in_context(const char* function, Action action, Details details) noexcept {
  return result_of([&] {
    Machine& all = machine();
    all.count(function);
    if (!all.is_initialized()) return Code::not_initialized;
    Context* context = all.current();
    if (context == nullptr) return Code::invalid_context;
    const std::lock_guard guard(context->lock);
    if (context->lost != Code::success) return context->lost;
    if (all.omits(function)) {
      all.note_omitted(function, details(*context));
      return context->lost;
    }
    try {
      action(*context);
      context->device.throw_postponed();
    } catch (const Misuse& misuse) {
      all.report(misuse.what());
      context->lost = Code::illegal_address;
    }
    return context->lost;
  });
}

template <class Action>
int call_in_context(const char* function, Action action) noexcept {
  return call_in_context(function, action, [](Context&) { return std::string(); });
}

}  // namespace op2::test::gpu::cuda
