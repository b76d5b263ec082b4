// SPDX-License-Identifier: BSD-3-Clause
// The statements of a loop's reductions whose result does not depend on the order of its elements.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/target/cpu/emit_cpu.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {

// Minima and maxima with payloads that elements set in any order. Each element offers a candidate:
// the kernel is called with an extreme that every value replaces, and with separate payloads. The
// best candidate is kept with the global index of its element, and of equal ones that of the lowest
// index. That of a range begins with what the thread's block holds.

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

// How a loop is written so that its results have the same bits in whatever order and grouping its
// elements run (docs/reproducibility.md): what an element adds to a row is made from zero and added
// at once, to the row or to a slot; what it adds to a global is a term of a sum that the library
// rounds once; and it compares minima and maxima with the worst value, not with those before it.

/// The part of a loop's text that only reproducible code has; that of other code is empty.
class ReproducibleForm {
 public:
  /// @param width  elements side by side; 1: one after the other
  ReproducibleForm(const std::vector<ArgShape>& args, int width, bool is_on);

  Zeros zeros() const { return is_on_ ? Zeros::ordered : Zeros::equal; }
  /// The argument's entry if it may add to slots, or null.
  const SlottedArg* slotted(std::size_t position) const;
  /// Whether it is a sum of terms.
  bool is_term(std::size_t position) const;
  /// Whether it is a minimum or maximum, other than of a payload: where elements set that in any
  /// order they offer candidates, and where they set it in order each sees what those before left.
  bool is_extreme(std::size_t position) const;
  /// Whether it is a minimum or maximum of rows through maps.
  bool is_extreme_of_row(std::size_t position) const {
    return is_on_ && is_extreme_row(args_[position]);
  }
  /// Whether each element has separate values for it, which are combined afterwards: "op2_own3".
  bool is_own(std::size_t position) const {
    return slotted(position) != nullptr || is_term(position) || is_extreme(position) ||
           is_extreme_of_row(position);
  }
  std::string own_name(std::size_t position) const;

  /// Types and functions that the statements use, for the beginning of a unit.
  std::string preamble() const;
  /// Tables of targets, slots, memory for terms and op2_first: element e stores its terms at
  /// e - op2_first.
  std::vector<Parameter> parameters() const;

  /// For how many elements terms are collected before they are added to sums, a multiple of the
  /// width; 0: there are none.
  int elements_at_once() const;
  /// Memory for these terms: op2_terms<position>[dim x elements]; and as parameters.
  Statements term_memory() const;
  std::vector<Parameter> term_parameters() const;
  /// Adds the terms of `count` elements, an expression.
  Statements add_terms(const std::string& count) const;

  /// Of whole blocks, terms are cut as they are made, and only those that cannot be are stored:
  /// before the first block, after the last, and before the elements that follow.
  Statements start_cuts() const;
  Statements end_cuts() const;
  Statements after_blocks() const;

  /// Before the kernels are called for an element, and after.
  Statements before_element() const;
  Statements after_element() const;

  /// The same for elements side by side: the values of each lane are in
  /// op2_lanes<position>[dim][width].
  Statements before_block() const;
  Statements after_block() const;
  /// Of a minimum or maximum: the values that all others replace; those of one lane are compared
  /// with what it has, and in the end those of all with what the loop has.
  Statements worst_values(std::size_t position, const std::string& of) const;
  Statements compare_in_lane(std::size_t position) const;
  Statements compare_all(std::size_t position) const;
  /// Of a minimum or maximum: `to` takes what an element has.
  /// @param to, own  a pointer and an array, expressions
  std::string join(std::size_t position, const std::string& to, const std::string& own) const;
  /// Where an element adds its row to; an expression.
  /// @param row  the entry of the map, an expression
  std::string target(std::size_t position, const std::string& row) const;
  /// Whether any element of a block has a slot; an expression, not empty if an argument is slotted.
  std::string any_slots() const;

 private:
  Statements for_each(const auto& action) const;
  std::string cut_elements(const std::string& block) const;
  std::string components(const char* of) const;
  Statements store_terms(const char* at) const;
  std::vector<std::size_t> terms() const;
  /// Whether the code cuts terms itself: of double, and few, as all that a cut has is in registers.
  bool cuts_terms() const;

  const std::vector<ArgShape>& args_;
  int width_;
  bool is_on_;
  std::vector<SlottedArg> slotted_;
};

}  // namespace op2::jit
