// SPDX-License-Identifier: BSD-3-Clause
// Minima and maxima with payloads that elements set in any order. Each element offers a candidate:
// the kernel is called with an extreme that every value replaces, and with separate payloads. The
// best candidate is kept with the global index of its element, and of equal ones that of the lowest
// index. That of a range begins with what the thread's block holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Whether an argument is an extreme with such payloads, or one of these.
bool is_offered(const std::vector<ArgShape>& args, std::size_t position);

/// Whether zeros of both signs are equal, or -0 is less than 0 (ReproducibleForm::preamble).
enum class Zeros { equal, ordered };

/// Statements, one per line, without indentation.
using Statements = std::vector<std::string>;

/// Of the function of single elements: declares local copies of blocks; declares what an element
/// offers; keeps it if it is better; copies back.
Statements candidate_declarations(const std::vector<ArgShape>& args);
Statements offer_declarations(const std::vector<ArgShape>& args);
Statements offer_choices(const std::vector<ArgShape>& args, Zeros zeros);
Statements candidate_stores(const std::vector<ArgShape>& args);

/// Of the function of blocks, which keeps one candidate per lane: before all blocks; for each
/// element when rows are loaded; before and after the call of a lane; after all blocks.
Statements lane_declarations(const std::vector<ArgShape>& args, int width);
Statements lane_loads(const std::vector<ArgShape>& args);
Statements lane_choices(const std::vector<ArgShape>& args, Zeros zeros);
Statements lane_merges(const std::vector<ArgShape>& args, int width, Zeros zeros);

}  // namespace op2::jit
