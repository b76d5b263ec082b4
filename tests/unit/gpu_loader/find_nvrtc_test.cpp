// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include <gpu/nvrtc.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2::gpu {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// An own file system of libraries: the stub's versions, put where NVIDIA's would be.
class FindNvrtc : public ::testing::Test {
 protected:
  /// Puts a version of the stub there. @return its path
  std::string put(const std::string& path, const std::string& version) {
    const fs::path file = folder.path() / path;
    fs::create_directories(file.parent_path());
    fs::copy_file(OP2_STUB_FOLDER "/nvrtc/libnvrtc-" + version, file);
    return file.string();
  }
  std::shared_ptr<const Nvrtc> load(int driver_version, int device = 0) {
    return load_nvrtc({.driver = "", .nvrtc = given}, driver_version, device, roots);
  }
  std::string failure(int driver_version = 0, int device = 0) {
    return test::error_text(ErrorCode::device_compiler, [&] { load(driver_version, device); });
  }

  test::TemporaryDirectory folder;
  std::string given;
  SearchRoots roots{.cuda_home = folder / "home_of_cuda",
                    .toolkits = folder / "toolkits",
                    .loader_path = false,
                    .home = folder / "home",
                    .virtual_env = folder / "venv"};
};

TEST_F(FindNvrtc, LooksInToolkitsThenInEnvironmentsOfPython) {
  const std::string packages = "lib/python3.11/site-packages/nvidia/";
  std::vector<std::string> files;
  for (const std::string& place :
       {std::string("home_of_cuda/lib64/"), std::string("home_of_cuda/lib/"),
        std::string("toolkits/cuda-12.2/lib64/"),
        "home/.local/share/op2/cuda/" + packages + "cuda_nvrtc/lib/",
        "venv/" + packages + "cuda_nvrtc/lib/"})
    files.push_back(put(place + "libnvrtc.so.12", "12.2"));
  const auto search = find_nvrtc("", roots);
  std::vector<std::string> found;
  for (const auto& candidate : search.candidates) found.push_back(candidate.file);
  EXPECT_EQ(found, files);
}

TEST_F(FindNvrtc, AsksTheLoaderBetweenToolkitsAndEnvironments) {
  put("toolkits/cuda/lib/libnvrtc.so.12", "12.2");
  put("venv/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "13.0");
  roots.loader_path = true;
  const auto found = find_nvrtc("", roots).candidates;
  ASSERT_EQ(found.size(), 5);
  EXPECT_EQ(found[1].file, "libnvrtc.so.13");
  EXPECT_EQ(found[3].file, "libnvrtc.so.11.2");
}

TEST_F(FindNvrtc, ComparesVersionsOfFoldersByTheirNumbers) {
  for (const char* place : {"toolkits/cuda-12.8/lib/", "toolkits/cuda-12.10/lib/"})
    put(std::string(place) + "libnvrtc.so.12", "12.2");
  for (const char* python : {"3.9", "3.11"})
    put(std::string("venv/lib/python") + python + "/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "13.0");
  std::vector<std::string> found;
  for (const auto& candidate : find_nvrtc("", roots).candidates) found.push_back(candidate.file);
  EXPECT_THAT(found, ElementsAre(HasSubstr("cuda-12.10"), HasSubstr("cuda-12.8"),
                                 HasSubstr("python3.11"), HasSubstr("python3.9")));
}

TEST_F(FindNvrtc, AFileWithSeveralNamesOccursOnce) {
  put("toolkits/cuda-12.2/lib/libnvrtc.so.12", "12.2");
  fs::create_directory_symlink(folder / "toolkits/cuda-12.2", folder / "toolkits/cuda");
  EXPECT_EQ(find_nvrtc("", roots).candidates.size(), 1);
}

TEST_F(FindNvrtc, TakesTheNewestOfAllPlaces) {
  put("home_of_cuda/lib64/libnvrtc.so.12", "12.2");
  const std::string newest = put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  put("toolkits/cuda-11.8/lib/libnvrtc.so.11.2", "11.8");
  EXPECT_EQ(load(0)->path(), newest);
  EXPECT_EQ(load(13000)->version(), "13.0");
}

TEST_F(FindNvrtc, TakesNoneThatIsNewerThanTheDriver) {
  const std::string fits = put("home_of_cuda/lib64/libnvrtc.so.12", "12.2");
  put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  EXPECT_EQ(load(12020)->path(), fits);
}

TEST_F(FindNvrtc, TakesTheNewestThatCompilesForTheDevice) {
  const std::string fits = put("home_of_cuda/lib64/libnvrtc.so.12", "12.2");
  const std::string newest = put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  EXPECT_EQ(load(13000, 70)->path(), fits);
  EXPECT_EQ(load(13000, 75)->path(), newest);
}

TEST_F(FindNvrtc, SaysWhichOneCompilesForLaterDevicesAlone) {
  const std::string file = put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  EXPECT_THAT(failure(13000, 70),
              AllOf(StartsWith("OP2-E510 the device is older than what NVRTC compiles for: sm_70: "
                               "library libnvrtc.so.13 or libnvrtc.so.12, "),
                    HasSubstr("; install an older one as share/doc/op2/docs/gpu.md shows"),
                    HasSubstr("\n  " + file + ": version 13.0 begins with sm_75")));
}

TEST_F(FindNvrtc, SaysThatTheLoaderIsNotAskedForOneThatIsTooNewForTheDriver) {
  roots.loader_path = true;
  std::string why;
  if (SharedLibrary::open("libnvrtc.so.12", why)) GTEST_SKIP() << "the loader finds one that fits";
  EXPECT_THAT(failure(12040),
              AllOf(StartsWith("OP2-E510 NVRTC is not found: library "
                               "libnvrtc.so.12, version 12.0 or newer, of major "
                               "version at most 12, as the driver's CUDA 12.4; "),
                    HasSubstr("\n  libnvrtc.so.13: newer than the driver, not tried")));
}

TEST_F(FindNvrtc, SaysWhichOneIsTooNewForTheDriver) {
  const std::string file = put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  EXPECT_THAT(
      failure(12020),
      AllOf(StartsWith("OP2-E510 NVRTC is too new for the driver: library libnvrtc.so.12, "
                       "version 12.0 or newer, of major version at most 12, as the driver's "
                       "CUDA 12.2; install it as share/doc/op2/docs/gpu.md shows"),
            HasSubstr("\n  " + file + ": version 13 is newer than the driver")));
}

TEST_F(FindNvrtc, SaysWhichOneIsTooOld) {
  const std::string file = put("home_of_cuda/lib/libnvrtc.so.11.2", "11.8");
  EXPECT_THAT(failure(), AllOf(StartsWith("OP2-E510 NVRTC is too old: "),
                               HasSubstr("\n  " + file + ": version 11.8 is too old")));
}

TEST_F(FindNvrtc, NamesAllPlacesWithoutOne) {
  EXPECT_THAT(failure(),
              AllOf(StartsWith("OP2-E510 NVRTC is not found: "),
                    HasSubstr("\n  " + roots.cuda_home + "/lib64: no such folder"),
                    HasSubstr("\n  " + roots.cuda_home + "/lib: no such folder"),
                    HasSubstr("\n  " + roots.toolkits + "/cuda*: no such folder"),
                    HasSubstr("\n  " + roots.home + "/.local/share/op2/cuda/lib: no such folder"),
                    HasSubstr(", version 12.0 or newer; install it as share/doc/op2/docs/gpu.md "
                              "shows, or set OP2_NVRTC to the library or its folder. Tried:")));
}

TEST_F(FindNvrtc, SaysThatWhatTheLoaderFindsIsNotNvrtc) {
  given = "libm.so.6";
  EXPECT_THAT(failure(), AllOf(StartsWith("OP2-E510 NVRTC cannot be loaded: "),
                               HasSubstr("\n  libm.so.6: lacks nvrtcVersion")));
}

TEST_F(FindNvrtc, SaysWhichOneIsNotALibrary) {
  fs::create_directories(roots.cuda_home + "/lib");
  std::ofstream(roots.cuda_home + "/lib/libnvrtc.so.12") << "text";
  EXPECT_THAT(failure(), AllOf(StartsWith("OP2-E510 NVRTC cannot be loaded: "),
                               HasSubstr("/lib/libnvrtc.so.12: file too short")));
}

TEST_F(FindNvrtc, SaysWhichFunctionsAreMissing) {
  given = OP2_STUB_FOLDER "/old_driver/libcuda.so.1";
  EXPECT_THAT(failure(), HasSubstr("libcuda.so.1: lacks nvrtcVersion nvrtcGetErrorString"));
}

TEST_F(FindNvrtc, GoesOnToTheNextWhereOneCannotBeLoaded) {
  fs::create_directories(roots.cuda_home + "/lib");
  std::ofstream(roots.cuda_home + "/lib/libnvrtc.so.13") << "text";
  put("toolkits/cuda/lib/libnvrtc.so.12", "12.2");
  EXPECT_EQ(load(0)->version(), "12.2");
}

TEST_F(FindNvrtc, TakesAFileThatIsGiven) {
  put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  given = OP2_STUB_FOLDER "/nvrtc/libnvrtc-12.2";
  EXPECT_EQ(load(0)->version(), "12.2");
}

TEST_F(FindNvrtc, SearchesAFolderThatIsGivenAndNoOther) {
  put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  put("mine/libnvrtc.so.12", "12.2");
  given = folder / "mine";
  EXPECT_EQ(load(0)->version(), "12.2");
  given = folder / "toolkits";
  EXPECT_THAT(failure(),
              AllOf(HasSubstr("NVRTC is not found"),
                    EndsWith("Tried:\n  " + given + ": no libnvrtc.so.13 or .12 in it")));
}

TEST_F(FindNvrtc, RefusesAGivenFileThatIsTooNewOrTooOld) {
  given = OP2_STUB_FOLDER "/nvrtc/libnvrtc-13.0";
  EXPECT_THAT(failure(12090), HasSubstr("version 13.0 is newer than the driver"));
  given = OP2_STUB_FOLDER "/nvrtc/libnvrtc-11.8";
  EXPECT_THAT(failure(), HasSubstr("version 11.8 is too old"));
}

TEST_F(FindNvrtc, NamesAGivenFileThatIsNotThere) {
  given = folder / "nothing.so";
  EXPECT_THAT(failure(),
              AllOf(HasSubstr("NVRTC is not found"), HasSubstr("\n  " + given + ": cannot open")));
}

TEST_F(FindNvrtc, APathThatIsGivenIsCheckedWithoutLoadingIt) {
  const auto text = [](const std::string& path) {
    return test::error_text(ErrorCode::device_compiler, [&] { check_nvrtc_path(path); });
  };
  const std::string file = put("mine/libnvrtc.so.12", "11.8");
  fs::create_directories(folder / "empty");
  for (const std::string& fine : {std::string(), file, folder / "mine", std::string("libm.so.6")})
    EXPECT_NO_THROW(check_nvrtc_path(fine)) << fine;
  EXPECT_THAT(text(folder / "nothing.so"),
              HasSubstr("OP2_NVRTC is " + (folder / "nothing.so") + ": no such file or folder; "));
  EXPECT_THAT(text(folder / "empty"), HasSubstr("/empty: no libnvrtc.so.13 or .12 in it; "));
}

}  // namespace
}  // namespace op2::gpu
