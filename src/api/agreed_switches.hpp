// SPDX-License-Identifier: BSD-3-Clause
// The switches that must have one value on all ranks, because ranks with different ones would wait
// for each other in different calls, or execute different chains.
#pragma once

#include <string>

#include <core/options.hpp>

namespace op2::api {

/// Their names and values, in one line: what op_init compares between the ranks. Values are numbers
/// of those in docs/switches.md, from 0; of files only whether they are named.
std::string agreed_switches(const core::Options& options);

}  // namespace op2::api
