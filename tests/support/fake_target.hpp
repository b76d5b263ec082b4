// SPDX-License-Identifier: BSD-3-Clause
// A target whose sources and binaries are a few words, and which counts what it is asked for.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <jit/target/target.hpp>

namespace op2::test {

class FakeTarget : public jit::Target {
 public:
  std::atomic<int> compilations = 0;
  std::atomic<int> loads = 0;
  std::vector<jit::Diagnostic> errors{};  ///< of every compilation

  explicit FakeTarget(std::string name) : name_(std::move(name)) {}

  std::string name() const override { return name_; }
  jit::TargetInfo info() const override { return {"triple", "cpu", "", "fake 1", 0, ""}; }
  std::string options() const override { return ""; }
  jit::EmittedLoop emit(const jit::LoopNest& nest) const override {
    return {{"run " + jit::name_of(nest)}, "start", {}};
  }
  jit::CompileResult compile(const jit::LoopRequest&, jit::EmittedLoop& loop) override {
    ++compilations;
    jit::CompileResult result;
    result.status = errors.empty() ? jit::CompileStatus::ok : jit::CompileStatus::rejected;
    result.diagnostics = errors;
    for (const char letter : loop.units[0]) result.object.push_back(std::byte(letter));
    return result;
  }
  jit::LinkResult load(const std::vector<std::byte>&, const std::string&,
                       const std::vector<jit::LinkSymbol>&) override {
    ++loads;
    return {std::make_unique<Code>(), ""};
  }

 private:
  struct Code : jit::LinkedCode {
    int here = 0;
    void* entry() const override { return const_cast<int*>(&here); }
  };
  const std::string name_;
};

}  // namespace op2::test
