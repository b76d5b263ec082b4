// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins that others could have written are not loaded. A separate program: a library keeps the
// path by which the process has loaded it first.
#include <unit/jit/remote_support.hpp>

#include <sys/stat.h>

#include <support/expect_error.hpp>
#include <support/stderr_capture.hpp>

namespace op2::jit::test {
namespace {

using op2::test::error_text;
using testing::AllOf;
using testing::HasSubstr;

/// A folder with links to the plug-ins of this build.
struct PluginFolder : testing::Test {
  op2::test::TemporaryDirectory place;
  const fs::path folder = fs::canonical(place.path()) / "plugins";

  PluginFolder() {
    fs::create_directory(folder);
    const fs::path built = fs::absolute(op2::test::plugin_folder());
    for (const char* name : {"libop2_llvm.so", "libop2_clang.so", helper_name})
      fs::create_symlink(built / name, folder / name);
    chmod(folder.c_str(), 0755);
  }
  std::string refusal() {
    return error_text(ErrorCode::plugin_failure, [&] { load_plugin(folder.string(), ""); });
  }
};

TEST_F(PluginFolder, IsUsedIfOthersCannotWriteToIt) {
  EXPECT_EQ(load_plugin(folder.string(), "").file, folder / "libop2_llvm.so");
}

TEST_F(PluginFolder, IsNotUsedIfOthersCanWriteToIt) {
  chmod(folder.c_str(), 0777);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("'" + folder.string() + "': owner "),
                               HasSubstr("mode 777"), HasSubstr("chmod go-w")));
}

TEST_F(PluginFolder, IsNotUsedIfOthersCanReplaceIt) {
  chmod(folder.parent_path().c_str(), 0777);
  EXPECT_THAT(refusal(), HasSubstr("'" + folder.parent_path().string() + "': owner "));
}

TEST_F(PluginFolder, GivesNoFileThatOthersCanWrite) {
  fs::remove(folder / "libop2_llvm.so");
  fs::copy_file(fs::path(op2::test::plugin_folder()) / "libop2_llvm.so", folder / "libop2_llvm.so");
  chmod((folder / "libop2_llvm.so").c_str(), 0666);
  EXPECT_THAT(refusal(), HasSubstr("libop2_llvm.so': owner "));
}

TEST_F(PluginFolder, GivesNoCompilerThatOthersCanWrite) {
  const fs::path linker = folder / "libop2_llvm.so", compiler = folder / "libop2_clang.so";
  fs::remove(linker);
  fs::remove(compiler);
  fs::copy_file(fs::path(op2::test::plugin_folder()) / "libop2_llvm.so", linker);
  std::ofstream(compiler) << "not to be loaded";
  chmod(compiler.c_str(), 0666);
  const CompileResult result = load_plugin(folder.string(), "").backend->compile(work("*y = *x;"));
  EXPECT_EQ(result.status, CompileStatus::unavailable);
  EXPECT_THAT(result.message, HasSubstr("can change '" + compiler.string() + "'"));
}

TEST_F(PluginFolder, IsTheOnlyOneInWhichAHelperIsLookedFor) {
  fs::create_directory(folder.parent_path() / "libexec");
  fs::rename(folder / helper_name, folder.parent_path() / "libexec" / helper_name);
  core::Log log{core::LogLevel::warning};
  op2::test::StderrCapture captured;
  load_remote_backend(folder.string(), "", {}, log)->compile(work("*y = *x;"));
  EXPECT_THAT(captured.news(),
              HasSubstr("'" + (folder / helper_name).string() + "', No such file"));
}

}  // namespace
}  // namespace op2::jit::test
