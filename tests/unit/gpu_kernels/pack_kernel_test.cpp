// SPDX-License-Identifier: BSD-3-Clause
// The kernel of halo exchanges packs rows of every size, and unpacks them where they belong.
#include <random>

#include <gmock/gmock.h>

#include <core/mesh.hpp>
#include <sched/executor/gpu/packer.hpp>
#include <unit/gpu_kernels/loop_on_device.hpp>

namespace op2::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Rows of words of 1, 2, 1, 4, 2, 8, 4, 16, 8 and 16 bytes.
constexpr int row_sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 80};
constexpr int row_count = 40, range_begin = 20, range_rows = 11;
const std::vector<std::int32_t> list = {5, 0, 39, 7, 31, 6, 12};

/// A dat of each size, of which some listed rows and then a range of rows are in the message.
class Rows {
 public:
  Rows(gpu::Device& device, const gpu::Function& kernel)
      : device_(device),
        copies_(device.space()),
        halo_(device.space().make_stream()),
        tables_(copies_, mesh_),
        parts_{copies_, *halo_, kernel, false, tables_, {}},
        messages_(parts_) {
    core::Set& set = mesh_.add_set({0, row_count, row_count}, "rows");
    for (const int size : row_sizes)
      dats_.push_back(&mesh_.add_dat(&set, size, Type::b8, nullptr,
                                     ("d" + std::to_string(size)).c_str(), false));
  }

  /// Once, then the message has its place. @param values  per dat
  void upload(const std::vector<Bytes>& values) {
    std::size_t end = 0;
    for (std::size_t k = 0; k < dats_.size(); ++k) {
      auto* const rows =
          static_cast<std::byte*>(memory_.emplace_back(device_, values[k]).address());
      const std::int64_t size = row_sizes[k];
      messages_.add(*dats_[k], rows, list, std::ssize(list), end);
      end = next(end, size * std::ssize(list));
      messages_.add(*dats_[k], rows + range_begin * size, {}, range_rows, end);
      end = next(end, size * range_rows);
    }
    messages_.finish({static_cast<const std::byte*>(nullptr), end});
  }
  void move(bool unpack) {
    messages_.launch(unpack);
    halo_->wait();
  }
  Bytes message() const {
    Bytes bytes(messages_.bytes());
    halo_->download_and_wait(reinterpret_cast<std::byte*>(bytes.data()), messages_.buffer(),
                             bytes.size());
    return bytes;
  }
  void take(const Bytes& message) {
    halo_->upload_and_wait(messages_.buffer(), reinterpret_cast<const std::byte*>(message.data()),
                           message.size());
  }
  Bytes values(std::size_t dat) const {
    Bytes bytes(static_cast<std::size_t>(row_count * row_sizes[dat]));
    memory_[dat].download(bytes);
    return bytes;
  }

 private:
  /// Segments begin at multiples of 16 bytes.
  static std::size_t next(std::size_t begin, std::int64_t bytes) {
    return (begin + static_cast<std::size_t>(bytes) + 15) / 16 * 16;
  }

  gpu::Device& device_;
  core::Mesh mesh_;
  core::DeviceCopies copies_;
  std::unique_ptr<core::Stream> halo_;
  sched::DeviceTables tables_;
  const sched::PackerParts parts_;
  std::deque<OnDevice> memory_;
  std::vector<core::Dat*> dats_;
  sched::MessagesOnDevice messages_;
};

std::vector<Bytes> random_rows() {
  std::mt19937 random(11);
  std::vector<Bytes> values;
  for (const int size : row_sizes) {
    values.emplace_back(row_count * size);
    for (std::uint8_t& byte : values.back()) byte = static_cast<std::uint8_t>(random());
  }
  return values;
}

std::vector<int> moved_rows() {
  std::vector<int> rows(list.begin(), list.end());
  for (int k = 0; k < range_rows; ++k) rows.push_back(range_begin + k);
  return rows;
}

/// Rows of a dat one after the other, without what is between segments.
Bytes packed(const Bytes& values, int size) {
  Bytes bytes;
  for (const int row : moved_rows())
    bytes.insert(bytes.end(), values.begin() + row * size, values.begin() + (row + 1) * size);
  return bytes;
}

struct PackKernel : testing::Test {
  PulledLoop kernel{sched::pack_request().nest};
  std::vector<Bytes> values = random_rows();
};

TEST_F(PackKernel, PacksRowsOfEverySize) {
  Rows rows(kernel.device, kernel.code().loop);
  rows.upload(values);
  rows.move(false);
  const Bytes message = rows.message();
  std::size_t at = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Bytes expected = packed(values[k], row_sizes[k]);
    Bytes found;
    for (const std::size_t rows_of_segment : {list.size(), std::size_t{range_rows}}) {
      const std::size_t bytes = rows_of_segment * row_sizes[k];
      found.insert(found.end(), message.begin() + at, message.begin() + at + bytes);
      at = (at + bytes + 15) / 16 * 16;
    }
    EXPECT_EQ(found, expected) << row_sizes[k] << " bytes";
  }
}

TEST_F(PackKernel, UnpacksWhatItHasPackedAndLeavesOtherRows) {
  Rows from(kernel.device, kernel.code().loop), to(kernel.device, kernel.code().loop);
  from.upload(values);
  std::vector<Bytes> before;
  for (const int size : row_sizes) before.emplace_back(row_count * size, std::uint8_t{0xA5});
  to.upload(before);
  from.move(false);
  to.take(from.message());
  to.move(true);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int size = row_sizes[k];
    Bytes expected = before[k];
    for (const int row : moved_rows())
      std::copy_n(values[k].begin() + row * size, size, expected.begin() + row * size);
    EXPECT_EQ(to.values(k), expected) << size << " bytes";
  }
}

}  // namespace
}  // namespace op2::test
