// SPDX-License-Identifier: BSD-3-Clause
// Each call of the system that writes a report fails once, at op_init or at op_exit: the old file
// stays as it was, or the new one is whole, and an error is thrown unless it is.
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <op2/op2.hpp>

#include <support/failing_calls.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using testing::HasSubstr;
using Then = FailingCall::Then;

struct Report {
  const char* name;
  const char* variable;
  const char* file;
};
void PrintTo(const Report& report, std::ostream* out) {
  *out << report.name;
}

class FailedReports : public testing::TestWithParam<Report> {
 protected:
  FailedReports() { setenv(GetParam().variable, path.c_str(), 1); }
  ~FailedReports() override { unsetenv(GetParam().variable); }

  /// A session. @return the errors
  static std::string run() {
    std::string errors;
    for (const auto& action : {+[] { op_init(0, nullptr, 0); }, +[] { op_exit(); }}) try {
        action();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io_failure) << error.what();
        errors += error.what();
      }
    return errors;
  }
  bool is_whole(const std::string& text) const {
    if (path.ends_with(".json")) return nlohmann::json::accept(text);
    return text.starts_with("loop") && text.ends_with("\n");
  }
  void restore() const {
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      std::filesystem::remove(file);
    std::ofstream(path) << "old";
  }

  const TemporaryDirectory folder;
  const std::string path = folder / GetParam().file;
};

const Report reports[] = {{"TimingAsJson", "OP2_TIMING", "t.json"},
                          {"TimingAsCsv", "OP2_TIMING", "t.csv"},
                          {"TimingAsText", "OP2_TIMING", "t.txt"},
                          {"Trace", "OP2_TRACE", "trace.json"}};
INSTANTIATE_TEST_SUITE_P(Of, FailedReports, testing::ValuesIn(reports),
                         [](const auto& report) { return report.param.name; });

TEST_P(FailedReports, LeaveTheOldFileOrTheWholeNewOne) {
  for (const Then then : {Then::work, Then::be_full}) {
    int failures = 0;
    for (int k = 1;; ++k) {
      restore();
      const FailingCall failing(folder.path().string(), k, then);
      const std::string errors = run();
      const std::string now = content_of(path);
      EXPECT_TRUE(is_whole(now) || (now == "old" && !errors.empty())) << k << ": " << now;
      for (const auto& file : std::filesystem::directory_iterator(folder.path()))
        if (file.path() != path) {
          EXPECT_THAT(errors, HasSubstr("cannot rename '" + file.path().string() + "'")) << k;
        }
      if (!failing.happened()) break;
      failures += errors.empty() ? 0 : 1;
    }
    EXPECT_GE(failures, 5);
  }
}

}  // namespace
}  // namespace op2::test
