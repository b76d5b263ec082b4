// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/compile_clang.hpp>

#include <memory>
#include <utility>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <jit/llvm/codegen.hpp>
#include <jit/llvm/link_units.hpp>
#include <jit/llvm/parse_unit.hpp>

namespace op2::jit {
namespace {

/// What becomes of a request, unit by unit.
class Compilation {
 public:
  Compilation(const Machine& machine, ParsedKernels& kernels, const CompileRequest& request)
      : machine_(machine), kernels_(kernels), request_(request) {
    result_.status = CompileStatus::rejected;
  }

  CompileResult run(std::int32_t& unit) {
    for (unit = 0; unit < std::ssize(request_.units); ++unit)
      if (!parse(unit)) return std::move(result_);
    unit = 0;
    if (request_.only_facts)
      result_.status = CompileStatus::ok;
    else
      add_code();
    if (result_.status == CompileStatus::ok) result_.findings = std::move(findings_);
    return std::move(result_);
  }

 private:
  /// @return false if the unit is in error; then the result says why
  bool parse(std::int32_t number) {
    const CompileUnit& unit = request_.units[static_cast<std::size_t>(number)];
    const auto parse_it = [&] {
      ++result_.parsed;
      return parse_unit(machine_, request_.sanitizers, unit, context_);
    };
    const bool is_shared = request_.only_facts || number + 1 < std::ssize(request_.units);
    ParsedUnit parsed =
        is_shared ? kernels_.get({unit, request_.sanitizers}, context_, parse_it) : parse_it();
    if (!unit.kernel.empty()) result_.signatures.push_back(parsed.notes.parameters);
    if (parsed.fault) blame(*parsed.fault, number);
    add(std::move(parsed.notes.messages), number);
    if (parsed.fault || first_error(result_.diagnostics) != nullptr) return false;
    take(std::move(parsed), number);
    return true;
  }

  void blame(const SignatureFault& fault, std::int32_t unit) {
    result_.status = CompileStatus::wrong_signature;
    result_.message = fault.message;
    result_.unit = unit;
    result_.diagnostics.clear();
    if (fault.place) add({*fault.place}, unit);
  }

  void add(std::vector<Diagnostic> messages, std::int32_t unit) {
    for (Diagnostic& message : messages) {
      message.unit = unit;
      result_.diagnostics.push_back(std::move(message));
    }
  }

  void take(ParsedUnit parsed, std::int32_t unit) {
    modules_.push_back(std::move(parsed.module));
    for (AccessFinding& finding : parsed.notes.findings) {
      finding.call = unit;
      findings_.push_back(std::move(finding));
    }
    if (request_.only_facts) result_.facts = std::move(parsed.notes.facts);
    parsed.notes.marks.set_unit(unit);
    marks_.add(std::move(parsed.notes.marks));
  }

  void add_code() {
    const auto module = linked(std::move(modules_));
    if (module == nullptr) return add({error_at({}, "the kernels cannot be linked")}, 0);
    auto code = generate_code(*module, marks_, machine_, request_);
    result_.diagnostics.insert(result_.diagnostics.end(), code.diagnostics.begin(),
                               code.diagnostics.end());
    if (first_error(result_.diagnostics) != nullptr) return;
    result_.status = CompileStatus::ok;
    result_.object = std::move(code.object);
    result_.ir = std::move(code.ir);
    result_.assembly = std::move(code.assembly);
    result_.scalar = std::move(code.scalar);
    result_.flops = code.flops;
  }

  const Machine& machine_;
  ParsedKernels& kernels_;
  const CompileRequest& request_;
  llvm::LLVMContext context_;
  CompileResult result_;
  std::vector<std::unique_ptr<llvm::Module>> modules_;
  std::vector<AccessFinding> findings_;
  SourceMarks marks_;
};

}  // namespace

CompileResult compile_loop(const Machine& machine, ParsedKernels& kernels,
                           const CompileRequest& request, std::int32_t& unit) {
  return Compilation(machine, kernels, request).run(unit);
}

}  // namespace op2::jit
