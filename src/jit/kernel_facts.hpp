// SPDX-License-Identifier: BSD-3-Clause
// What the source of a kernel proves about the arguments of a call, so that a loop may be treated
// better than its access modes allow. Plain data; made without running anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jit/byte_stream.hpp>

namespace op2::jit {

struct ParameterShape;

/// Increment it when the analysis changes: facts on disk and in programs are of one version,
/// whichever compiler read the source.
inline constexpr int proof_version = 7;

/// One argument of a call, or a parameter of a kernel. False: not proven, so the access mode alone
/// counts.
struct ArgumentFacts {
  /// OP_WRITE to a dat: on every path the kernel writes every component of each row that it gets
  /// (of a vector argument: of all rows), and reads none of them before it has written it.
  bool writes_all = false;
  /// OP_RW of a dat: every change is `v += e` or means the same; the values before are used for
  /// nothing else, neither in `e` nor in a condition, pointers to them are compared with null only,
  /// and nothing is read after the addition. So
  /// OP_INC is right too, if every argument of the loop with this dat is OP_INC or only adds:
  /// another one could read, under another name, what is added here.
  bool only_adds = false;
  /// OP_RW of a dat: the kernel only replaces values by their minimum with others, or only by their
  /// maximum, and uses them for nothing else. So OP_MIN or OP_MAX is right too, if every argument
  /// of the loop with this dat is of this kind.
  bool only_lowers = false;
  bool only_raises = false;
  /// OP_WRITE or OP_RW of a dat: on every path the kernel sets every component to the constant zero
  /// (not -0), and to nothing else at any time. Of embedded facts: false.
  bool leaves_zero = false;
  /// If the access mode asks for a fact that is not proven: what stands against it, after "kernel
  /// 'flux' ": "writes it only on some paths (flux.hpp:12:3)". Empty if there is no source to look
  /// at, and for a direct OP_RW, which is in order anyway.
  std::string why{};
  std::string file{};  ///< as in Diagnostic: where that is; empty: `why` has the place, or none
  std::int32_t line = 0;
  std::int32_t column = 0;
  bool operator==(const ArgumentFacts&) const = default;
};

/// In the order of KernelCall::args: every column of a vector argument has the facts of all of it.
using KernelFacts = std::vector<ArgumentFacts>;

// A way in which the source of a kernel breaks the access mode of an argument. Plain data: made by
// the plug-in, kept with the code.

/// Whether values of others are accessed: `possible` on some path, `certain` whatever the data.
enum class Beyond : std::int32_t { none = 0, possible = 1, certain = 2 };

struct AccessFinding {
  std::int32_t call = 0;         ///< of the nest
  std::int32_t argument = 0;     ///< from 0, as in the call of the loop
  std::int32_t is_omission = 0;  ///< 1: not an error if the argument may be off
  Beyond beyond = Beyond::none;  ///< certain: always an error
  std::string what{};            ///< after "kernel 'flux' ", e.g. "writes it"
  std::string advice{};          ///< what to do
  std::string file{};            ///< as in Diagnostic
  std::int32_t line = 0;
  std::int32_t column = 0;
  std::string source_line{};
  bool operator==(const AccessFinding&) const = default;
};

// Findings and facts as bytes.

void fields(auto& stream, Is<AccessFinding> auto& finding) {
  stream.values(finding.call, finding.argument, finding.is_omission, finding.beyond, finding.what,
                finding.advice, finding.file, finding.line, finding.column, finding.source_line);
  if (finding.beyond < Beyond::none || finding.beyond > Beyond::certain) stream.refuse();
}

void fields(auto& stream, Is<ArgumentFacts> auto& facts) {
  stream.values(facts.writes_all, facts.only_adds, facts.leaves_zero, facts.only_lowers,
                facts.only_raises, facts.why, facts.file, facts.line, facts.column);
}

// Facts as op2-embed-kernels writes them into the program: one line for each form of a kernel's
// loops, its parameters separated by '|':
//
//     |write 1x4 all, proof 2|rw does not only add to it (flux.hpp:12:3)
//
// A parameter that asks for a fact is described, then the fact or the obstacle follows; others are
// empty.

/// The line of a form, without line break.
/// @param facts  one for each parameter; obstacles have their place in the text
std::string embedded_line(const std::vector<ParameterShape>& parameters,
                          const std::vector<ArgumentFacts>& facts);

/// The facts of the first line with these parameters, whether or not they are on.
/// @param text  of any origin: what is not understood matches nothing
std::optional<std::vector<ArgumentFacts>> embedded_facts(
    std::string_view text, const std::vector<ParameterShape>& parameters);

}  // namespace op2::jit
