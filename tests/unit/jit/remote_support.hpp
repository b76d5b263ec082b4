// SPDX-License-Identifier: BSD-3-Clause
// A backend whose helper is a copy of op2-compile, so that its processes can be told from others.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include <core/log.hpp>
#include <jit/backend.hpp>
#include <jit/remote/remote_backend.hpp>
#include <support/process_list.hpp>
#include <support/temporary_directory.hpp>
#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {

namespace fs = std::filesystem;

/// The helper of this build.
inline fs::path built_helper() {
  return fs::path(op2::test::plugin_folder()) / helper_name;
}

struct RemoteBackendTest : testing::Test {
  op2::test::TemporaryDirectory folder;
  const fs::path helper = fs::canonical(folder.path()) / "copy-of-op2-compile";
  core::Log log{core::LogLevel::warning};
  CompileLimit limit;
  std::chrono::milliseconds timeout{60'000};

  RemoteBackendTest() { fs::copy_file(built_helper(), helper); }

  std::unique_ptr<RemoteBackend> make() {
    Plugin plugin = load_plugin(op2::test::plugin_folder(), "");
    return std::make_unique<RemoteBackend>(
        std::move(plugin.backend), RemoteSettings{helper, plugin.file, "", limit, timeout}, log);
  }
  std::size_t processes() const { return op2::test::processes_of(helper).size(); }
  bool wait_for_worker() const {
    return op2::test::wait_until(
        [this] { return !op2::test::processes_named(helper, "op2-worker").empty(); });
  }
  bool wait_for_end() const {
    return op2::test::wait_until([this] { return processes() == 0; });
  }
};

/// A kernel that takes Clang for ever, and more and more memory.
inline CompileRequest endless_work() {
  CompileRequest request = work("*y = sizeof(Tree<200, 1>);");
  request.units[0].source =
      "template <int depth, unsigned long path> struct Tree {\n"
      "  Tree<depth - 1, 2 * path> left; Tree<depth - 1, 2 * path + 1> right; };\n"
      "template <unsigned long path> struct Tree<0, path> { char leaf; };\n" +
      request.units[0].source;
  return request;
}

}  // namespace op2::jit::test
