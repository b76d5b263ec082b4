// SPDX-License-Identifier: BSD-3-Clause
// What the switches of a session mean for the maker of code.
#pragma once

#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/trace.hpp>
#include <jit/jit.hpp>

namespace op2::api {

/// @param mesh  whose constants kernels see; it and `trace` outlive the maker
jit::JitOptions jit_options(const core::Options& options, const core::Mesh& mesh,
                            core::Trace& trace);

}  // namespace op2::api
