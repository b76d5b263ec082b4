// SPDX-License-Identifier: BSD-3-Clause
// A compiler whose code does nothing, and which counts what it is asked for.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include <jit/backend.hpp>

namespace op2::test {

class FakeBackend : public jit::Backend {
 public:
  std::atomic<int> compilations = 0;
  std::atomic<int> links = 0;
  std::atomic<int> proofs = 0;             ///< compilations of facts only
  std::vector<jit::ArgumentFacts> proven;  ///< of every kernel
  std::optional<jit::CompileResult> read;  ///< of kernels that are read and not compiled
  std::atomic<int> failing_links = 0;      ///< so many of the next links fail
  std::atomic<int> most_at_once = 0;       ///< compilations that ran at the same time
  std::atomic<bool> rejects = false;
  std::atomic<bool> warns = false;
  std::vector<jit::AccessFinding> findings;  ///< of every kernel, where they are wanted
  std::string cpu = "cpu";                   ///< of the target
  int vector_bytes = 0;                      ///< of the target
  std::string unknown;              ///< a name that is an error unless it is declared as a constant
  std::function<void()> meanwhile;  ///< called by a compilation
  std::chrono::milliseconds duration{0};  ///< of a compilation
  std::vector<jit::LinkSymbol> symbols;   ///< of the last link

  jit::TargetInfo target() const override {
    return {"triple", cpu, "+feature", "fake 1", vector_bytes, ""};
  }

  jit::CompileResult compile(const jit::CompileRequest& request) override {
    if (request.only_facts) return read_kernels();
    ++compilations;
    const int now = ++running_;
    for (int most = most_at_once; most < now && !most_at_once.compare_exchange_weak(most, now);) {
    }
    if (meanwhile) meanwhile();
    std::this_thread::sleep_for(duration);
    --running_;
    const jit::CompileUnit& unit = request.units.front();
    jit::CompileResult result;
    result.status = rejects ? jit::CompileStatus::rejected : jit::CompileStatus::ok;
    if (rejects) add(result, jit::Diagnostic::Severity::error, unit.kernel);
    if (warns) add(result, jit::Diagnostic::Severity::warning, unit.kernel);
    if (!unknown.empty() && unit.source.find(" " + unknown + " __asm__") == std::string::npos) {
      result.status = jit::CompileStatus::rejected;
      add(result, jit::Diagnostic::Severity::error, unit.kernel);
      result.diagnostics.back().kind = jit::Diagnostic::Kind::unknown_symbol;
      result.diagnostics.back().subject = unknown;
    }
    result.object.assign(16, std::byte{7});
    result.signatures.assign(request.units.size(), "double*");
    result.seconds = 0.5;
    if (unit.compare_access) result.findings = findings;
    return result;
  }

  jit::LinkResult link(const std::vector<std::byte>&, const std::string&,
                       const std::vector<jit::LinkSymbol>& given) override {
    ++links;
    symbols = given;
    if (failing_links > 0) {
      --failing_links;
      return {nullptr, "does not link"};
    }
    return {std::make_unique<Code>(), ""};
  }

 private:
  jit::CompileResult read_kernels() {
    ++proofs;
    if (read) return *read;
    jit::CompileResult result;
    result.status = jit::CompileStatus::ok;
    result.facts = proven;
    return result;
  }

  static void add(jit::CompileResult& result, jit::Diagnostic::Severity severity,
                  const std::string& kernel) {
    result.diagnostics.push_back({.severity = severity,
                                  .file = kernel,
                                  .line = 1,
                                  .column = 1,
                                  .text = "message",
                                  .source_line = "",
                                  .subject = ""});
  }

  struct Code : jit::LinkedCode {
    void* entry() const override { return reinterpret_cast<void*>(&nothing); }
    static void nothing(std::int64_t, std::int64_t, const void*) {}
  };
  std::atomic<int> running_ = 0;
};

}  // namespace op2::test
