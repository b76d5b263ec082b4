// SPDX-License-Identifier: BSD-3-Clause
// Facts as op2-embed-kernels writes them into the program: one line for each form of a kernel's
// loops, its parameters separated by '|':
//
//     |write 1x4 all, proof 2|rw does not only add to it (flux.hpp:12:3)
//
// A parameter that asks for a fact is described, then the fact or the obstacle follows; others are
// empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jit/backend.hpp>
#include <jit/kernel_facts.hpp>

namespace op2::jit {

/// The line of a form, without line break.
/// @param facts  one for each parameter; obstacles have their place in the text
std::string embedded_line(const std::vector<ParameterShape>& parameters,
                          const std::vector<ParameterFacts>& facts);

/// The facts of the first line with these parameters, whether or not they are on.
/// @param text  of any origin: what is not understood matches nothing
std::optional<std::vector<ParameterFacts>> embedded_facts(
    std::string_view text, const std::vector<ParameterShape>& parameters);

}  // namespace op2::jit
