// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_image.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

namespace op2::comm {

namespace {

/// The first block that ends after `offset`.
template <class Map>
auto first_after(Map& blocks, std::int64_t offset) {
  auto block = blocks.upper_bound(offset);
  if (block == blocks.begin()) return block;
  const auto before = std::prev(block);
  return before->first + std::ssize(before->second) > offset ? before : block;
}

/// What the HDF5 library has of an open file; it uses the base class for itself.
struct ImageFile : H5FD_t {
  Hdf5Image* image = nullptr;
  haddr_t end = 0;  ///< of the addresses that the library has allocated
};

Hdf5Image& image_of(H5FD_t* file) {
  return *static_cast<ImageFile*>(file)->image;
}

H5FD_t* open_image(const char*, unsigned, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;  // another file, to which this one refers
  auto file = std::make_unique<ImageFile>();
  file->image = *static_cast<Hdf5Image* const*>(info);
  return file.release();
}

herr_t close_image(H5FD_t* file) {
  const std::unique_ptr<ImageFile> closed(static_cast<ImageFile*>(file));
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) {
  return static_cast<const ImageFile*>(file)->end;
}

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  static_cast<ImageFile*>(file)->end = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return static_cast<haddr_t>(static_cast<const ImageFile*>(file)->image->size());
}

/// Calls an action that may throw, from the HDF5 library.
template <class Action>
herr_t guarded(const Action& action) {
  try {
    action();
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  return guarded([&] {
    image_of(file).read(static_cast<std::int64_t>(address),
                        {static_cast<std::byte*>(buffer), size});
  });
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
             const void* buffer) {
  return guarded([&] {
    image_of(file).write(static_cast<std::int64_t>(address),
                         {static_cast<const std::byte*>(buffer), size});
  });
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  image_of(file).resize(static_cast<std::int64_t>(static_cast<ImageFile*>(file)->end));
  return 0;
}

/// Later HDF5 libraries ask for a version of this struct.
template <class Class>
void set_version(Class& driver) {
  if constexpr (requires { driver.version; }) driver.version = 1;
  if constexpr (requires { driver.value; }) driver.value = static_cast<decltype(driver.value)>(520);
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  set_version(driver);
  driver.name = "op2_image";
  driver.maxaddr = std::numeric_limits<std::int64_t>::max();
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(Hdf5Image*);
  driver.open = open_image;
  driver.close = close_image;
  driver.query = query;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  const std::array<H5FD_mem_t, H5FD_MEM_NTYPES> free_lists H5FD_FLMAP_DICHOTOMY;
  std::copy(free_lists.begin(), free_lists.end(), driver.fl_map);
  return driver;
}

}  // namespace

void ByteOverlay::forget(std::int64_t offset, std::int64_t count) {
  const std::int64_t end = offset + count;
  auto block = first_after(blocks_, offset);
  while (block != blocks_.end() && block->first < end) {
    const auto [begin, bytes] = std::pair(block->first, std::move(block->second));
    block = blocks_.erase(block);
    if (begin < offset)
      blocks_.emplace(begin, Block(bytes.begin(), bytes.begin() + (offset - begin)));
    if (begin + std::ssize(bytes) > end)
      blocks_.emplace(end, Block(bytes.begin() + (end - begin), bytes.end()));
  }
}

void ByteOverlay::write(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  forget(offset, std::ssize(bytes));
  blocks_.emplace(offset, Block(bytes.begin(), bytes.end()));
}

void ByteOverlay::apply(std::int64_t offset, std::span<std::byte> bytes) const {
  const std::int64_t end = offset + std::ssize(bytes);
  for (auto block = first_after(blocks_, offset); block != blocks_.end() && block->first < end;
       ++block) {
    const std::int64_t from = std::max(offset, block->first);
    const std::int64_t to = std::min(end, block->first + std::ssize(block->second));
    std::copy(block->second.begin() + (from - block->first),
              block->second.begin() + (to - block->first), bytes.begin() + (from - offset));
  }
}

Hdf5Handle Hdf5Image::access_list() {
  const H5FD_class_t driver = driver_class();
  const Hdf5Handle registered(H5FDregister(&driver), H5FDunregister);
  Hdf5Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Hdf5Image* const self = this;
  core::ensure(registered >= 0 && H5Pset_driver(list, registered, &self) >= 0,
               "HDF5 cannot work in memory");
  H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
  return list;
}

Hdf5Handle Hdf5Image::create() {
  return {H5Fcreate("op2", H5F_ACC_TRUNC, H5P_DEFAULT, access_list()), H5Fclose};
}

Hdf5Handle Hdf5Image::open() {
  return {H5Fopen("op2", H5F_ACC_RDWR, access_list()), H5Fclose};
}

void Hdf5Image::read(std::int64_t offset, std::span<std::byte> bytes) const {
  file_.read_at(offset, bytes.data(), bytes.size());
  changes_.apply(offset, bytes);
}

void Hdf5Image::write(std::int64_t offset, std::span<const std::byte> bytes) {
  changes_.write(offset, bytes);
  size_ = std::max(size_, offset + std::ssize(bytes));
}

void Hdf5Image::write_to_file() {
  for (const auto& [offset, bytes] : changes_.blocks())
    file_.write_at(offset, bytes.data(), bytes.size());
  file_.resize(size_);
}

}  // namespace op2::comm
