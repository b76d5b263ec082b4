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
  std::shared_ptr<const Nvrtc> load(int driver_version) {
    return load_nvrtc({.driver = "", .nvrtc = given}, driver_version, roots);
  }
  std::string failure(int driver_version = 0) {
    return test::error_text(ErrorCode::device_compiler, [&] { load(driver_version); });
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

TEST_F(FindNvrtc, SaysWhichOneIsTooNewForTheDriver) {
  const std::string file = put("toolkits/cuda-13.0/lib/libnvrtc.so.13", "13.0");
  EXPECT_THAT(
      failure(12020),
      AllOf(StartsWith("OP2-E510 NVRTC is too new for the driver: library libnvrtc.so.13 or "
                       "libnvrtc.so.12, version 12.0 or newer, not newer than the driver's "
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
                    HasSubstr("\n  " + roots.cuda_home + "/lib64"),
                    HasSubstr("\n  " + roots.cuda_home + "/lib"),
                    HasSubstr("\n  " + roots.home + "/.local/share/op2/cuda/lib"),
                    HasSubstr(", version 12.0 or newer; install it as share/doc/op2/docs/gpu.md "
                              "shows, or set OP2_NVRTC to the library or its folder. Tried:")));
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
  EXPECT_THAT(failure(), AllOf(HasSubstr("NVRTC is not found"), EndsWith("Tried:\n  " + given)));
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

}  // namespace
}  // namespace op2::gpu
