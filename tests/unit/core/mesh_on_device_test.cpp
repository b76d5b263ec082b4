// SPDX-License-Identifier: BSD-3-Clause
// Which of a mesh's bytes may be on a device.
#include <core/mesh.hpp>

#include <gmock/gmock.h>

#include <support/recording_space.hpp>

namespace op2::core {
namespace {

using testing::ElementsAre;

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
