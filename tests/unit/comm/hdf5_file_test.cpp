// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_file.hpp>

#include <sys/stat.h>

#include <atomic>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include <core/value_type.hpp>
#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/fake_communicator.hpp>
#include <support/hdf5_maker.hpp>
#include <support/lease.hpp>
#include <support/poor_disk.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using namespace op2::comm;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using Access = Hdf5File::Access;

class Hdf5FileTest : public testing::Test {
 protected:
  const TemporaryDirectory directory;
  const std::string path = directory / "a.h5";
  const std::unique_ptr<Communicator> self = make_self_communicator();

  template <class T>
  void write(const std::string& name, std::vector<T> values, int dim = 1,
             Hdf5Options options = {}) {
    const Blocks blocks{{0, std::ssize(values) / dim}};
    Hdf5File file(*self, path, Access::append, options);
    file.write_rows({name, blocks, type_of<T>(), dim}, values.data());
    file.publish();
  }
  template <class T>
  std::vector<T> read(const std::string& name, std::int64_t rows, int dim = 1,
                      Hdf5Options options = {}) {
    const Blocks blocks{{0, rows}};
    std::vector<T> values(static_cast<std::size_t>(rows * dim));
    Hdf5File(*self, path, Access::read, options)
        .read_rows({name, blocks, type_of<T>(), dim}, values.data());
    return values;
  }
  template <class T>
  void expect_extremes_back() {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> values{Limits::lowest(), Limits::max(), 0, 1, 2, 3};
    const char* name = core::name_of(type_of<T>());
    write(name, values, 2);
    EXPECT_EQ(read<T>(name, 3, 2), values) << name;
  }
  std::string reading_fails(ErrorCode code, const std::string& name, std::int64_t rows, int dim,
                            Type type = Type::i32) {
    return error_text(code, [&] {
      const Blocks blocks{{0, rows}};
      std::vector<double> values(static_cast<std::size_t>(rows * dim));
      Hdf5File(*self, path, Access::read).read_rows({name, blocks, type, dim}, values.data());
    });
  }
};

TEST_F(Hdf5FileTest, RowsOfEveryTypeComeBack) {
  expect_extremes_back<double>();
  expect_extremes_back<float>();
  expect_extremes_back<std::int32_t>();
  expect_extremes_back<std::uint32_t>();
  expect_extremes_back<std::int64_t>();
  expect_extremes_back<std::uint64_t>();
  const Blocks blocks{{0, 3}};
  const bool written[] = {true, false, true};
  bool got[] = {false, false, false};
  Hdf5File file(*self, path, Access::append);
  file.write_rows({"bool", blocks, Type::b8, 1}, written);
  file.read_rows({"bool", blocks, Type::b8, 1}, got);
  EXPECT_THAT(got, ElementsAre(true, false, true));
}

TEST_F(Hdf5FileTest, NamesMayHaveGroups) {
  write<int>("mesh/fine/cells", {7, 8});
  write<int>("/mesh/coarse", {9});
  EXPECT_THAT(read<int>("/mesh/fine/cells", 2), ElementsAre(7, 8));
  EXPECT_THAT(read<int>("mesh/coarse", 1), ElementsAre(9));
}

TEST_F(Hdf5FileTest, WholeNumbersBecomeAnyTypeThatHoldsThem) {
  write<std::int64_t>("ll", {-1, 2147483647, 3});
  EXPECT_THAT(read<int>("ll", 3), ElementsAre(-1, 2147483647, 3));
  EXPECT_THAT(read<double>("ll", 3), ElementsAre(-1, 2147483647, 3));
  write<int>("int", {0, 1, 1});
  EXPECT_THAT(read<std::uint64_t>("int", 3), ElementsAre(0, 1, 1));
  EXPECT_THAT(read<float>("int", 3), ElementsAre(0, 1, 1));
}

TEST_F(Hdf5FileTest, FloatingPointValuesBecomeDoubleOrFloat) {
  write<float>("float", {0.5F, -3, std::numeric_limits<float>::infinity()});
  EXPECT_THAT(read<double>("float", 3),
              ElementsAre(0.5, -3, std::numeric_limits<double>::infinity()));
  write<double>("double", {0.1, 1e38});
  EXPECT_THAT(read<float>("double", 2), ElementsAre(0.1F, 1e38F));
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "double", 2, 1, Type::i32),
              AllOf(HasSubstr("floating-point"), HasSubstr("\"int\""), HasSubstr("'double'")));
}

TEST_F(Hdf5FileTest, ValuesThatDoNotFitAreNamed) {
  write<std::int64_t>("ll", {1, 2, 3, 3000000000, -1, 6}, 2);
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "ll", 3, 2),
              AllOf(HasSubstr("dataset 'll'"), HasSubstr("a.h5"), HasSubstr("row 1, column 1"),
                    HasSubstr("3000000000"), HasSubstr("\"int\"")));
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "ll", 3, 2, Type::u64),
              HasSubstr("row 2, column 0 is -1"));
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "ll", 3, 2, Type::b8),
              HasSubstr("row 0, column 1 is 2"));
  write<double>("double", {1e39});
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "double", 1, 1, Type::f32), HasSubstr("1e+39"));
}

TEST_F(Hdf5FileTest, OtherByteOrdersWidthsAndCompressionCanBeRead) {
  Hdf5Maker(path).add_compressed("numbers", 5, {1, -2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_THAT(read<int>("numbers", 5, 2), ElementsAre(1, -2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(read<double>("numbers", 5, 2), ElementsAre(1, -2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST_F(Hdf5FileTest, PiecesOfAnySizeGiveTheSame) {
  std::vector<int> values(1001 * 3);
  std::iota(values.begin(), values.end(), 0);
  for (const std::int64_t piece : {1, 100, 7777, 1 << 20}) {
    const Hdf5Options options{true, piece};
    write("v", values, 3, options);
    EXPECT_EQ(read<int>("v", 1001, 3, options), values);
    EXPECT_EQ(read<double>("v", 1001, 3, options),
              std::vector<double>(values.begin(), values.end()));
  }
}

TEST_F(Hdf5FileTest, NothingHasItsPlaceToo) {
  write<double>("none", {}, 4);
  EXPECT_THAT(read<double>("none", 0, 4), ElementsAre());
  Hdf5File file(*self, path, Access::read);
  EXPECT_THAT(file.extents("none"), Optional(ElementsAre(0, 4)));
  EXPECT_EQ(file.extents("another"), std::nullopt);
  EXPECT_EQ(file.extents("none/of/these"), std::nullopt);
}

TEST_F(Hdf5FileTest, FewValuesMayHaveAnyShape) {
  {
    const Hdf5Maker made(path);
    made.add_ints("scalar", {}, {5});
    made.add_ints("square", {2, 2}, {1, 2, 3, 4});
  }
  Hdf5File file(*self, path, Access::append);
  const double pair[] = {1.5, 2.5};
  file.write_values("pair", Type::f64, 2, pair);
  std::int64_t one = 0;
  float four[4], two[2];
  file.read_values("scalar", Type::i64, 1, &one);
  file.read_values("square", Type::f32, 4, four);
  file.read_values("pair", Type::f32, 2, two);
  EXPECT_EQ(one, 5);
  EXPECT_THAT(four, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(two, ElementsAre(1.5, 2.5));
  EXPECT_THAT(
      error_text(ErrorCode::bad_dataset, [&] { file.read_values("pair", Type::f64, 3, four); }),
      AllOf(HasSubstr("'pair'"), HasSubstr("[2]"), HasSubstr("3 values")));
}

TEST_F(Hdf5FileTest, ADatasetOfTheSameNameIsReplaced) {
  write<int>("q", {1, 2, 3});
  write<int>("q", {4, 5, 6});
  EXPECT_THAT(read<int>("q", 3), ElementsAre(4, 5, 6));
  write<double>("q", {0.5, 1.5}, 2);
  EXPECT_THAT(read<double>("q", 1, 2), ElementsAre(0.5, 1.5));
}

TEST_F(Hdf5FileTest, AFileIsCreatedAsAWholeOrNotAtAll) {
  write<int>("old", {1});
  {
    Hdf5File file(*self, path, Access::create);
    file.write_values("new", Type::i32, 1, std::vector{2}.data());
  }
  EXPECT_THAT(read<int>("old", 1), ElementsAre(1));
  Hdf5File file(*self, path, Access::create);
  file.write_values("new", Type::i32, 1, std::vector{2}.data());
  file.publish();
  EXPECT_EQ(Hdf5File(*self, path, Access::read).extents("old"), std::nullopt);
  EXPECT_EQ(directory.file_count(), 1u);
}

TEST_F(Hdf5FileTest, OtherSizesThanNeededAreShown) {
  write<int>("v", {1, 2, 3, 4, 5, 6}, 2);
  for (const auto& [rows, dim] : {std::pair(3, 3), std::pair(2, 2), std::pair(6, 1)})
    EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "v", rows, dim),
                AllOf(HasSubstr("'v'"), HasSubstr("[3 x 2]"), HasSubstr("a.h5")));
  Hdf5Maker(path).add_ints("flat", {3}, {1, 2, 3});
  EXPECT_THAT(read<int>("flat", 3, 1), ElementsAre(1, 2, 3));
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "flat", 3, 2), HasSubstr("[3]"));
}

TEST_F(Hdf5FileTest, WhatIsNoDatasetOfNumbersIsAnError) {
  {
    const Hdf5Maker made(path);
    made.add_text("text");
    made.add_group("group");
  }
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "text", 2, 1),
              AllOf(HasSubstr("'text'"), HasSubstr("has text"), HasSubstr("a.h5")));
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "group", 2, 1),
              HasSubstr("a group instead of a dataset"));
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "absent", 2, 1),
              HasSubstr("no such dataset: 'absent'"));
  EXPECT_THAT(error_text(ErrorCode::bad_dataset, [&] { write<int>("group", {1}); }),
              HasSubstr("a group instead of a dataset"));
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { write<int>("text/below", {1}); }),
              AllOf(HasSubstr("'text/below'"), HasSubstr("HDF5: ")));
}

class Hdf5LinkTest : public Hdf5FileTest {
 protected:
  Hdf5LinkTest() {
    {
      const Hdf5Maker other(directory / "b.h5");
      other.add_group("group");
      other.add_ints("group/q", {2}, {1, 2});
    }
    const Hdf5Maker made(path);
    made.add_link("data", "b.h5", "/group/q");
    made.add_link("folder", "b.h5", "/group");
    made.add_soft_link("soft", "/folder/q");
    made.add_ints("own", {2}, {3, 4});
    made.add_soft_link("here", "own");
  }
  static auto refusal(const std::string& name) {
    return AllOf(HasSubstr("'" + name + "' of '"), HasSubstr("a.h5"), HasSubstr("'b.h5'"));
  }
  const std::vector<std::string> outside{"data", "folder/q", "soft", "folder/new"};
};

TEST_F(Hdf5LinkTest, DatasetsOfOtherFilesAreRead) {
  for (const std::string name : {"data", "folder/q", "soft"})
    EXPECT_THAT(read<int>(name, 2), ElementsAre(1, 2)) << name;
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, "folder/new", 2, 1),
              HasSubstr("no such dataset: 'folder/new'"));
}

TEST_F(Hdf5LinkTest, DatasetsOfOtherFilesAreNotWritten) {
  const std::string before = content_of(path), other = content_of(directory / "b.h5");
  for (const std::string& name : outside)
    EXPECT_THAT(error_text(ErrorCode::bad_dataset, [&] { write<int>(name, {5, 6}); }),
                refusal(name));
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(content_of(directory / "b.h5"), other);
}

TEST_F(Hdf5LinkTest, LinksWithinTheFileAreFollowed) {
  EXPECT_THAT(read<int>("here", 2), ElementsAre(3, 4));
  write<int>("here", {5, 6});
  EXPECT_THAT(read<int>("here", 2), ElementsAre(5, 6));
}

TEST_F(Hdf5FileTest, FilesThatCannotBeReadAreErrors) {
  EXPECT_THAT(reading_fails(ErrorCode::io_failure, "v", 1, 1),
              AllOf(HasSubstr("a.h5"), HasSubstr("No such file or directory")));
  std::ofstream(path) << "this is not an HDF5 file";
  EXPECT_THAT(reading_fails(ErrorCode::io_failure, "v", 1, 1), HasSubstr("not an HDF5 file"));
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { write<int>("v", {1}); }),
              HasSubstr("not an HDF5 file"));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  reading_fails(ErrorCode::io_failure, "v", 1, 1);
}

/// Opening a FIFO would wait for a writer.
TEST_F(Hdf5FileTest, AFifoIsAnErrorAtOnce) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const Access access : {Access::read, Access::append, Access::create})
    EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { Hdf5File(*self, path, access); }),
                HasSubstr("a.h5': it is a FIFO, not a regular file"));
}

/// Links in the file, and from it to another file that has one: whatever opens it.
TEST_F(Hdf5FileTest, ALinkToAFifoOrADeviceIsAnErrorAtOnce) {
  const std::string fifo = directory / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Hdf5Maker(directory / "b.h5").add_link("beyond", "fifo", "/v");
  {
    const Hdf5Maker made(path);
    made.add_link("beside", "fifo", "/v");
    made.add_link("absolute", fifo.c_str(), "/v");
    made.add_link("device", "/dev/zero", "/v");
    made.add_soft_link("soft", "/beside");
    made.add_link("group", "fifo", "/");
    made.add_link("through", "b.h5", "/beyond");
  }
  for (const std::string name : {"beside", "absolute", "device", "soft", "group/v", "through"})
    EXPECT_THAT(reading_fails(ErrorCode::io_failure, name, 1, 1),
                AllOf(HasSubstr("a link to what is not a regular file: '" + name + "'"),
                      HasSubstr(name == "device" ? "a device" : "a FIFO")));
}

TEST_F(Hdf5FileTest, ValuesInAFifoAreAnErrorAtOnce) {
  const std::string fifo = directory / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  {
    const Hdf5Maker made(path);
    made.add_external("external", 2, fifo.c_str());
    made.add_virtual("virtual", 2, fifo.c_str());
  }
  for (const std::string name : {"external", "virtual"})
    EXPECT_THAT(reading_fails(ErrorCode::io_failure, name, 2, 1),
                AllOf(HasSubstr("values are in what is not a regular file: '" + name + "'"),
                      HasSubstr("is a FIFO")));
}

TEST_F(Hdf5FileTest, AFileThatAnotherWriterHasOpenIsNotChanged) {
  write<int>("v", {1});
  Hdf5File file(*self, path, Access::append);
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { write<int>("v", {2}); }),
              AllOf(HasSubstr("the file is in use: "), HasSubstr("a.h5")));
}

/// Each call of the system fails in turn: only a file that is not there counts as such.
TEST_F(Hdf5FileTest, AFileThatCannotBeOpenedIsNotReplaced) {
  write<int>("old", {1});
  for (int k = 1; k <= 10; ++k) {
    const FailingCall failing(directory.path().string(), k);
    try {
      write<int>("new", {2});
    } catch (const Error&) {
    }
    EXPECT_THAT(Hdf5File(*self, path, Access::read).extents("old"), Optional(ElementsAre(1, 1)));
  }
}

/// Otherwise what the other has written would be lost.
TEST_F(Hdf5FileTest, AFileThatAnotherCreatesMeanwhileIsNotReplaced) {
  for (const bool nfs : {false, true}) {
    const std::optional<LikeNfs> like_nfs = nfs ? std::make_optional<LikeNfs>() : std::nullopt;
    std::filesystem::remove(path);
    Hdf5File file(*self, path, Access::append);
    file.write_values("mine", Type::i32, 1, std::vector{1}.data());
    write<int>("other", {2});
    EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { file.publish(); }),
                AllOf(HasSubstr("another process has created the file"), HasSubstr("a.h5")));
    EXPECT_THAT(read<int>("other", 1), ElementsAre(2));
  }
}

TEST_F(Hdf5FileTest, AFileThatAnotherReplacesMeanwhileIsNotReplaced) {
  write<int>("old", {1});
  Hdf5File file(*self, path, Access::append);
  file.write_values("mine", Type::i32, 1, std::vector{1}.data());
  {
    Hdf5File dump(*self, path, Access::create);
    dump.write_values("other", Type::i32, 1, std::vector{2}.data());
    dump.publish();
  }
  EXPECT_THAT(
      error_text(ErrorCode::io_failure, [&] { file.publish(); }),
      AllOf(HasSubstr("another process has replaced or removed the file"), HasSubstr("a.h5")));
  EXPECT_THAT(read<int>("other", 1), ElementsAre(2));
}

TEST_F(Hdf5FileTest, AFileOnWhichAnotherHoldsALeaseIsWritten) {
  write<int>("v", {1});
  const Lease lease(path);
  if (!lease.held()) GTEST_SKIP() << "this file system has no leases";
  write<int>("v", {2});
  EXPECT_THAT(read<int>("v", 1), ElementsAre(2));
}

TEST_F(Hdf5FileTest, AWriteProtectedFileIsNotReplaced) {
  write<int>("v", {1});
  chmod(path.c_str(), 0444);
  chmod(directory.path().c_str(), 0777);
  for (const Access access : {Access::append, Access::create})
    EXPECT_EQ(status_of_a_write_without_rights([&] { Hdf5File(*self, path, access); }), 0);
}

TEST_F(Hdf5FileTest, AnAppendedFileIsChangedAsAWholeOrNotAtAll) {
  write<int>("v", {1, 2});
  const std::string old = content_of(path);
  {
    Hdf5File file(*self, path, Access::append);
    file.write_rows({"v", Blocks{{0, 2}}, Type::i32, 1}, std::vector{3, 4}.data());
    file.write_values("w", Type::i32, 1, std::vector{5}.data());
    EXPECT_EQ(content_of(path), old);
  }
  EXPECT_EQ(content_of(path), old);
  EXPECT_EQ(directory.file_count(), 1u);
}

TEST_F(Hdf5FileTest, ManyDatasetsReplaceEachOtherInOneFile) {
  std::vector<int> values(3000);
  Hdf5File file(*self, path, Access::create);
  for (int round = 0; round < 200; ++round) {
    const auto rows = static_cast<std::int64_t>(1 + round * 37 % 2999);
    std::iota(values.begin(), values.end(), round);
    const std::string name = "group" + std::to_string(round % 7) + "/v" + std::to_string(round % 9);
    file.write_rows({name, Blocks{{0, rows}}, Type::i32, 1}, values.data());
  }
  file.publish();
  for (int round = 200 - 63; round < 200; ++round) {
    const auto rows = static_cast<std::int64_t>(1 + round * 37 % 2999);
    std::iota(values.begin(), values.end(), round);
    const std::string name = "group" + std::to_string(round % 7) + "/v" + std::to_string(round % 9);
    EXPECT_EQ(read<int>(name, rows), std::vector<int>(values.begin(), values.begin() + rows));
  }
}

/// Rows in compressed chunks cannot be overwritten in place.
TEST_F(Hdf5FileTest, ACompressedDatasetIsReplaced) {
  Hdf5Maker(path).add_compressed("v", 5, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  write<int>("v", {10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 2);
  EXPECT_THAT(read<int>("v", 5, 2), ElementsAre(10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
}

TEST_F(Hdf5FileTest, AFileThatIsCutOffIsAnErrorWhereverItIsCut) {
  write<double>("v", std::vector<double>(1000, 1.5));
  const auto whole = std::filesystem::file_size(path);
  for (const auto size : {whole - 1, whole / 2, std::uintmax_t{100}, std::uintmax_t{5}}) {
    std::filesystem::resize_file(path, size);
    EXPECT_THAT(reading_fails(ErrorCode::io_failure, "v", 1000, 1, Type::f64), HasSubstr("a.h5"));
  }
}

TEST_F(Hdf5FileTest, FilesThatCannotBeCreatedAreErrors) {
  for (const Access access : {Access::create, Access::append})
    EXPECT_THAT(
        error_text(ErrorCode::io_failure, [&] { Hdf5File(*self, "/no/such/folder/a.h5", access); }),
        AllOf(HasSubstr("/no/such/folder/a.h5"), HasSubstr("No such file or directory")));
}

TEST_F(Hdf5FileTest, FilesWithoutPermissionAreErrors) {
  write<int>("v", {1});
  chmod(path.c_str(), 0600);
  for (const Access access : {Access::read, Access::append, Access::create})
    EXPECT_EQ(status_of_a_write_without_rights([&] { Hdf5File(*self, path, access); }), 0);
  chmod(directory.path().c_str(), 0555);
  const std::string fresh = directory / "b.h5";
  EXPECT_EQ(status_of_a_write_without_rights([&] { Hdf5File(*self, fresh, Access::append); }), 0);
  chmod(directory.path().c_str(), 0755);
  EXPECT_EQ(directory.file_count(), 1u);
}

TEST_F(Hdf5FileTest, AFullDiskLeavesTheOldFile) {
  write<int>("old", {1});
  for (const rlim_t bytes : {0, 100, 2100, 5000, 400'000}) {
    const FileSizeLimit limit(bytes);
    EXPECT_THAT(error_text(ErrorCode::io_failure,
                           [&] {
                             Hdf5File file(*self, path, Access::create);
                             const Blocks blocks{{0, 100'000}};
                             const std::vector<double> values(100'000, 1);
                             file.write_rows({"v", blocks, Type::f64, 1}, values.data());
                             file.publish();
                           }),
                AllOf(HasSubstr("a.h5"), HasSubstr("File too large")));
  }
  EXPECT_THAT(read<int>("old", 1), ElementsAre(1));
  EXPECT_EQ(directory.file_count(), 1u);
}

TEST_F(Hdf5FileTest, TheLibraryPrintsWhatTheProgramWantsAndNothingElse) {
  testing::internal::CaptureStderr();
  reading_fails(ErrorCode::io_failure, "v", 1, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  H5Fopen("/no/such/file.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("HDF5-DIAG"));
}

/// Ranks without MPI: the root reads and writes for all.
TEST_F(Hdf5FileTest, TheRootReadsAndWritesForRanksThatCannot) {
  const Blocks blocks{{0, 0, 5, 6, 6}};
  for (const std::int64_t piece : {1, 48, 1 << 20})
    run_fake_ranks(4, [&](Communicator& ranks) {
      const auto rank = static_cast<std::size_t>(ranks.rank());
      std::vector<int> values, got(static_cast<std::size_t>(2 * blocks.count(ranks.rank())));
      for (auto row = blocks.begin[rank]; row < blocks.begin[rank + 1]; ++row)
        values.insert(values.end(), {static_cast<int>(10 * row), static_cast<int>(10 * row + 1)});
      Hdf5File file(ranks, path, Access::create, {true, piece});
      file.write_rows({"v", blocks, Type::i32, 2}, values.data());
      file.read_rows({"v", blocks, Type::i32, 2}, got.data());
      EXPECT_EQ(got, values);
      EXPECT_THAT(file.extents("v"), Optional(ElementsAre(6, 2)));
      file.publish();
    });
  EXPECT_THAT(read<int>("v", 6, 2), ElementsAre(0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51));
}

TEST_F(Hdf5FileTest, WhatTheRootFindsWrongIsAnErrorOnAllRanks) {
  write<std::int64_t>("ll", {1, 2, 3, 3000000000});
  std::atomic<int> errors = 0;
  run_fake_ranks(3, [&](Communicator& ranks) {
    const Blocks blocks = equal_blocks(4, 3);
    std::vector<int> values(2);
    const std::string text = error_text(ErrorCode::bad_dataset, [&] {
      Hdf5File(ranks, path, Access::read).read_rows({"ll", blocks, Type::i32, 1}, values.data());
    });
    errors += text.find("3000000000") != std::string::npos;
    EXPECT_EQ(text.find("rank 0: ") != std::string::npos, !ranks.is_root());
  });
  EXPECT_EQ(errors, 3);
}

TEST(EqualBlocks, TheFirstRanksHoldOneMore) {
  EXPECT_THAT(equal_blocks(10, 4).begin, ElementsAre(0, 3, 6, 8, 10));
  EXPECT_THAT(equal_blocks(2, 4).begin, ElementsAre(0, 1, 2, 2, 2));
  EXPECT_THAT(equal_blocks(0, 2).begin, ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace op2::test
