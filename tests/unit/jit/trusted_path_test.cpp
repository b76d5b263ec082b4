// SPDX-License-Identifier: BSD-3-Clause
#include <jit/trusted_path.hpp>

#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr uid_t nobody = 65534;

struct TrustedPath : testing::Test {
  op2::test::TemporaryDirectory place;
  const fs::path root = fs::canonical(place.path());
  const fs::path folder = root / "folder";
  const fs::path file = folder / "library.so";

  TrustedPath() {
    fs::create_directory(folder);
    std::ofstream(file) << "content";
    chmod(folder.c_str(), 0755);
    chmod(file.c_str(), 0644);
  }
  static std::string exposure(const fs::path& path) {
    return exposure_of_file(path, {0, geteuid()});
  }
};

TEST_F(TrustedPath, WhatTheUserAloneCanWriteIsNotExposed) {
  EXPECT_EQ(exposure(file), "");
  EXPECT_EQ(exposure_of_folder(folder, {0, geteuid()}), "");
}

TEST_F(TrustedPath, AFileThatIsMissingIsNotExposed) {
  EXPECT_EQ(exposure(folder / "none.so"), "");
  EXPECT_EQ(exposure(root / "none" / "none.so"), "");
}

TEST_F(TrustedPath, AFileFolderOrParentThatOthersCanWriteIsNamedWithItsOwnerAndMode) {
  for (const fs::path& part : {file, folder, root}) {
    const auto before = fs::status(part).permissions();
    chmod(part.c_str(), 0777);
    EXPECT_THAT(exposure(file), AllOf(HasSubstr("'" + part.string() + "'"), HasSubstr("mode 777"),
                                      HasSubstr("owner " + std::to_string(geteuid()))));
    fs::permissions(part, before);
  }
  EXPECT_EQ(exposure(file), "");
}

TEST_F(TrustedPath, StickyFoldersAreSafeAboveTheFoldersOfFilesAlone) {
  chmod(root.c_str(), 01777);
  EXPECT_EQ(exposure(file), "");
  EXPECT_EQ(exposure_of_folder(folder, {0, geteuid()}), "");
  chmod(folder.c_str(), 01777);
  EXPECT_THAT(exposure(file), HasSubstr("mode 1777"));
  EXPECT_THAT(exposure(folder / "." / "library.so"), HasSubstr("mode 1777"));
  EXPECT_THAT(exposure(folder / ".." / "folder" / "library.so"), HasSubstr("mode 1777"));
  EXPECT_THAT(exposure_of_folder(folder / "", {0, geteuid()}), HasSubstr("mode 1777"));
}

TEST_F(TrustedPath, LinksAreFollowedAndTheirFoldersCount) {
  const fs::path open = root / "open";
  fs::create_directory(open);
  fs::create_symlink("../folder", open / "link");
  EXPECT_EQ(exposure(open / "link" / "library.so"), "");
  chmod(open.c_str(), 0777);
  EXPECT_THAT(exposure(open / "link" / "library.so"), HasSubstr("'" + open.string() + "'"));
  chmod(open.c_str(), 0755);
  chmod(folder.c_str(), 0777);
  EXPECT_THAT(exposure(open / "link" / "library.so"), HasSubstr("'" + folder.string() + "'"));
}

TEST_F(TrustedPath, ALinkThatLeadsToItselfIsExposed) {
  fs::create_symlink("loop", root / "loop");
  EXPECT_THAT(exposure(root / "loop"), HasSubstr("leads nowhere"));
}

TEST_F(TrustedPath, AFileOfAnotherUserIsExposedUnlessHeOwnsTheLibrary) {
  if (chown(file.c_str(), nobody, nobody) != 0) GTEST_SKIP() << "only root can give files away";
  EXPECT_THAT(exposure(file), HasSubstr("owner 65534, mode 644"));
  EXPECT_EQ(exposure_of_file(file, {0, geteuid(), nobody}), "");
}

TEST_F(TrustedPath, AGroupOfOthersMayNotWrite) {
  chmod(folder.c_str(), 0775);
  if (chown(folder.c_str(), geteuid(), nobody) != 0) GTEST_SKIP() << "only root can do that";
  EXPECT_THAT(exposure(file), HasSubstr("mode 775"));
}

TEST_F(TrustedPath, TheOwnerOfTheProgramMayWrite) {
  const int here = 0;
  EXPECT_THAT(writers_of_code(&here), testing::IsSupersetOf({uid_t{0}, geteuid()}));
}

}  // namespace
}  // namespace op2::jit
