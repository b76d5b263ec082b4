// SPDX-License-Identifier: BSD-3-Clause
// Rows of zeros that steps which gather leave for each other: one of them need not store what the
// next one need not load. Pure.
#pragma once

#include <functional>

#include <sched/plan.hpp>

namespace op2::sched {

/// Sets Step::from_zero and not_kept. The last step of a plan stores what it leaves, and the first
/// one loads what it finds; so do those between which rows are sent.
/// @param leaves_zero  whether an argument of a record leaves zeros in its rows, whatever was there
void leave_out_zeros(Steps& steps, const std::function<bool(const ArgSource&)>& leaves_zero);

}  // namespace op2::sched
