// SPDX-License-Identifier: BSD-3-Clause
// The bytes of arrays, and those of a mesh, on the host and on a device.
#include <core/array.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <core/mesh.hpp>
#include <support/recording_space.hpp>

namespace op2::core {
namespace {

using test::RecordingSpace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Four ints, 1 2 3 4, on a mesh with a device.
class ArrayOnDevice : public ::testing::Test {
 protected:
  ArrayOnDevice() {
    array_.set_label("dat 'q'");
    array_.replace(bytes_of(std::vector<int>{1, 2, 3, 4}));
    array_.use(&copies_);
  }

  int* on_device() const { return reinterpret_cast<int*>(array_.device_read().value); }
  const int* on_host() const { return reinterpret_cast<const int*>(array_.host_read()); }
  /// As a kernel would.
  void write_on_device(int value) {
    *reinterpret_cast<int*>(array_.device_write().get().value) = value;
    static_cast<void>(calls());
  }
  std::vector<std::string> calls() { return space_.recording.take(); }

  RecordingSpace space_;
  DeviceCopies copies_{space_};
  Array array_;
};

template <class Action>
std::string message_of(const Action& action, ErrorCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

TEST(Array, WithoutADeviceHasOneAddress) {
  Array array;
  array.replace(zeroed_bytes(16));
  EXPECT_EQ(array.host_write().get(), array.host_read());
  EXPECT_EQ(array.host_overwrite().get(), array.host_address());
}

TEST(Array, OfAVectorKeepsItsValues) {
  Array array;
  array.replace(bytes_of(std::vector<int>{7, 8}));
  EXPECT_EQ(array.bytes(), 8U);
  EXPECT_EQ(reinterpret_cast<const int*>(array.host_read())[1], 8);
}

TEST(Array, KeepsWhatItCanWhenItIsResized) {
  Array array;
  array.replace(bytes_of(std::vector<int>{7, 8}));
  array.resize(12);
  const int* values = reinterpret_cast<const int*>(array.host_read());
  EXPECT_THAT(std::vector(values, values + 3), ElementsAre(7, 8, 0));
}

TEST_F(ArrayOnDevice, IsUploadedOnce) {
  EXPECT_EQ(on_device()[3], 4);
  EXPECT_EQ(on_device()[0], 1);
  EXPECT_THAT(calls(), ElementsAre("upload 16"));
}

TEST_F(ArrayOnDevice, IsDownloadedOnceAfterTheDeviceHasWritten) {
  write_on_device(5);
  EXPECT_EQ(on_host()[0], 5);
  EXPECT_EQ(on_host()[3], 4);
  EXPECT_THAT(calls(), ElementsAre("download 16"));
}

TEST_F(ArrayOnDevice, IsNotUploadedToBeOverwritten) {
  static_cast<void>(array_.device_overwrite());
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(ArrayOnDevice, IsNotDownloadedToBeOverwritten) {
  write_on_device(5);
  static_cast<void>(array_.host_overwrite());
  EXPECT_THAT(calls(), IsEmpty());
  on_device();
  EXPECT_THAT(calls(), ElementsAre("upload 16"));
}

TEST_F(ArrayOnDevice, IsDownloadedToBeModified) {
  write_on_device(5);
  const HostWriter writer = array_.host_write();
  EXPECT_EQ(*reinterpret_cast<int*>(writer.get()), 5);
  EXPECT_THAT(calls(), ElementsAre("download 16"));
}

TEST_F(ArrayOnDevice, IsUploadedAgainAfterTheHostHasWritten) {
  on_device();
  *reinterpret_cast<int*>(array_.host_write().get()) = 6;
  EXPECT_EQ(on_device()[0], 6);
  EXPECT_THAT(calls(), ElementsAre("upload 16", "upload 16"));
}

TEST_F(ArrayOnDevice, GrowsOlderWithEveryWriteAndNotWithReads) {
  const std::uint64_t before = array_.epoch();
  on_device();
  on_host();
  EXPECT_EQ(array_.epoch(), before);
  write_on_device(1);
  static_cast<void>(array_.host_write());
  EXPECT_EQ(array_.epoch(), before + 2);
}

TEST_F(ArrayOnDevice, TakesNewBytesFromTheHost) {
  write_on_device(5);
  array_.replace(bytes_of(std::vector<int>{9}));
  EXPECT_EQ(on_host()[0], 9);
  EXPECT_EQ(on_device()[0], 9);
  EXPECT_THAT(calls(), ElementsAre("upload 4"));
  EXPECT_EQ(space_.recording.used, 4U);
}

TEST_F(ArrayOnDevice, IsResizedWithWhatTheDeviceHasWritten) {
  write_on_device(5);
  array_.resize(4);
  EXPECT_EQ(on_host()[0], 5);
  EXPECT_EQ(space_.recording.used, 0U);
}

TEST_F(ArrayOnDevice, ComesHomeWhenThereIsNoDeviceAnyMore) {
  write_on_device(5);
  array_.use(nullptr);
  EXPECT_EQ(on_host()[0], 5);
  EXPECT_EQ(space_.recording.used, 0U);
}

TEST_F(ArrayOnDevice, CannotBeHadByTheHostWhileTheDeviceWrites) {
  const DeviceWriter writer = array_.device_write();
  const std::string message = message_of([&] { on_host(); }, ErrorCode::internal);
  EXPECT_THAT(message, HasSubstr("dat 'q', 16 bytes, requested on the host"));
  EXPECT_THAT(message, HasSubstr("written on the device"));
  EXPECT_NO_THROW(on_device());
}

TEST_F(ArrayOnDevice, CannotBeHadByTheDeviceWhileTheHostWrites) {
  const HostWriter writer = array_.host_write();
  EXPECT_THROW(on_device(), Error);
  EXPECT_THROW(array_.device_overwrite(), Error);
  EXPECT_NO_THROW(on_host());
}

TEST_F(ArrayOnDevice, HasOneWriterAtATime) {
  {
    const HostWriter writer = array_.host_write();
    EXPECT_THROW(array_.host_overwrite(), Error);
    EXPECT_THROW(array_.replace({}), Error);
  }
  EXPECT_NO_THROW(array_.host_overwrite());
  const DeviceWriter writer = array_.device_write();
  EXPECT_THROW(array_.device_write(), Error);
}

TEST_F(ArrayOnDevice, NamesItselfAndTheLargestWhenTheDeviceIsFull) {
  on_device();
  Array large;
  large.set_label("dat 'res'");
  large.replace(zeroed_bytes(2000));
  large.use(&copies_);
  const std::string message =
      message_of([&] { static_cast<void>(large.device_read()); }, ErrorCode::out_of_memory);
  EXPECT_THAT(message, HasSubstr("dat 'res', 2000 bytes, but 984 of 1000 are free"));
  EXPECT_THAT(message, HasSubstr("dat 'q' 16 bytes"));
}

TEST_F(ArrayOnDevice, StaysCurrentOnTheHostWhenAnUploadFails) {
  space_.recording.failing = "upload";
  EXPECT_THROW(on_device(), Error);
  EXPECT_EQ(on_host()[0], 1);
  space_.recording.failing.clear();
  EXPECT_EQ(on_device()[0], 1);
}

TEST_F(ArrayOnDevice, StaysCurrentOnTheDeviceWhenADownloadFails) {
  write_on_device(5);
  space_.recording.failing = "download";
  EXPECT_THROW(array_.host_write(), Error);
  EXPECT_THROW(array_.resize(32), Error);
  space_.recording.failing.clear();
  EXPECT_EQ(on_device()[0], 5);
  EXPECT_EQ(on_host()[0], 5);
}

TEST_F(ArrayOnDevice, HasNothingToMoveWithoutBytes) {
  array_.reset();
  EXPECT_FALSE(array_.device_read());
  static_cast<void>(array_.device_write());
  on_host();
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(ArrayOnDevice, LeavesTheDeviceWithItsOwner) {
  {
    Array other;
    other.replace(zeroed_bytes(100));
    other.use(&copies_);
    static_cast<void>(other.device_read());
    EXPECT_EQ(space_.recording.used, 100U);
  }
  EXPECT_EQ(space_.recording.used, 0U);
  EXPECT_EQ(copies_.list(8), "none");
}

TEST_F(ArrayOnDevice, IsInOneListWithTheMemoryBesideArrays) {
  static_cast<void>(array_.device_read());
  const auto one = copies_.allocate("messages", 10), two = copies_.allocate("messages", 30);
  {
    const auto other = copies_.allocate("second buffer", 100);
    EXPECT_EQ(copies_.list(8),
              "second buffer 100 bytes, messages (2 times) 40 bytes, dat 'q' 16 bytes");
    EXPECT_EQ(copies_.list(1), "second buffer 100 bytes");
  }
  EXPECT_EQ(copies_.list(8), "messages (2 times) 40 bytes, dat 'q' 16 bytes");
}

TEST_F(ArrayOnDevice, MemoryBesideArraysThatIsNotThereIsAnErrorWithItsRemedy) {
  EXPECT_THAT(message_of([&] { copies_.allocate("second buffer", 2000, "set A=b"); },
                         ErrorCode::out_of_memory),
              AllOf(HasSubstr("second buffer, 2000 bytes, but 1000 of 1000 are free"),
                    HasSubstr("; set A=b, or use more devices or a smaller mesh")));
  EXPECT_EQ(copies_.list(8), "none");
}

/// Which of a mesh's bytes may be on a device.
struct MeshOnDevice : testing::Test {
  Dat& dat(const char* name, bool temporary = false) {
    return mesh.add_dat(&set, 2, Type::f64, nullptr, name, temporary);
  }

  test::RecordingSpace space;
  DeviceCopies copies{space};
  Mesh mesh;
  Set& set = mesh.add_set({0, 3, 3}, "cells");
};

TEST_F(MeshOnDevice, HasAllOfThemThereBeforeAndAfterItGetsOne) {
  Dat& before = dat("before");
  mesh.use(&copies);
  const std::int32_t targets[] = {0, 1, 2};
  const double zero = 0;
  static_cast<void>(before.rows.device_read());
  static_cast<void>(dat("after").rows.device_read());
  static_cast<void>(mesh.add_map(&set, &set, 1, targets, "next").entries.device_read());
  static_cast<void>(mesh.add_global(1, Type::f64, &zero, "sum").value.device_read());
  EXPECT_THAT(space.recording.take(),
              ElementsAre("upload 48", "upload 48", "upload 12", "upload 8"));
  EXPECT_EQ(copies.list(9),
            "dat 'before' on set 'cells' 48 bytes, dat 'after' on set 'cells' 48 bytes, "
            "map 'next' 12 bytes, global 'sum' 8 bytes");
}

TEST_F(MeshOnDevice, GivesItUpAgain) {
  Dat& q = dat("q");
  mesh.use(&copies);
  static_cast<void>(q.rows.device_write());
  mesh.use(nullptr);
  EXPECT_THAT(space.recording.take(), ElementsAre("upload 48", "download 48"));
  EXPECT_EQ(space.recording.used, 0U);
}

TEST_F(MeshOnDevice, KnowsNoDeviceAfterTheEndOfTheSession) {
  const double zero = 0;
  mesh.use(&copies);
  Dat& q = dat("q");
  Global& sum = mesh.add_global(1, Type::f64, &zero, "sum");
  static_cast<void>(sum.value.device_write());
  mesh.end();
  EXPECT_EQ(space.recording.used, 0U);
  q.rows.resize(8);
  EXPECT_THROW(static_cast<void>(q.rows.device_read()), Error);
}

TEST_F(MeshOnDevice, GivesItUpAlsoIfTheDeviceFails) {
  Dat &q = dat("q"), &r = dat("r");
  mesh.use(&copies);
  static_cast<void>(q.rows.device_write());
  static_cast<void>(r.rows.device_read());
  space.recording.failing = "download";
  EXPECT_THROW(mesh.use(nullptr), Error);
  EXPECT_EQ(space.recording.used, 0U);
  EXPECT_NO_THROW(static_cast<void>(q.rows.host_write()));
  EXPECT_THROW(static_cast<void>(r.rows.device_read()), Error);  // there is none
}

TEST_F(MeshOnDevice, ZeroesARecycledDatOnBothSides) {
  mesh.use(&copies);
  Dat& first = dat("first", true);
  reinterpret_cast<double*>(first.rows.device_write().get().value)[0] = 5;
  mesh.release(&first);
  mesh.recycle();
  Dat& again = dat("again", true);
  ASSERT_EQ(&again, &first);
  EXPECT_EQ(reinterpret_cast<const double*>(again.rows.device_read().value)[0], 0);
  EXPECT_EQ(again.rows.label(), "dat 'again' on set 'cells'");
}

TEST_F(MeshOnDevice, KeepsTheHandlesPointerAtTheHostsCopy) {
  Dat& q = dat("q");
  mesh.use(&copies);
  static_cast<void>(q.rows.device_write());
  EXPECT_EQ(q.data, reinterpret_cast<const char*>(q.rows.host_read()));
  q.resize_rows();
  EXPECT_EQ(q.data, reinterpret_cast<const char*>(q.rows.host_read()));
}

}  // namespace
}  // namespace op2::core
