// SPDX-License-Identifier: BSD-3-Clause
// The records behind the public handles. Each is the handle's struct plus what the library keeps
// for itself; a handle is a pointer to the record's base.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <op2/kernel.hpp>
#include <op2/types.hpp>

#include <core/array.hpp>
#include <core/layout.hpp>
#include <core/memory.hpp>

namespace op2::core {

/// The contiguous block of a set that this rank declares: `declared` elements of `global_size`.
struct DeclaredRange {
  std::int64_t first;  ///< global index of the first
  std::int32_t declared;
  std::int64_t global_size;
  bool is_single_rank = true;  ///< this rank has all elements, and no halo
};

struct Set : op_set_core, DeclaredRange {
  std::string name_storage;
  Layout declared_layout;  ///< of the declared rows, which have no halos
  /// Of the rows that there are: `declared_layout`, or that of a halo plan.
  const Layout* layout = &declared_layout;
  /// The global index of each row; empty as long as rows are in the order of the declaration.
  std::vector<std::int32_t> global_indices;
  /// The position of each row in the canonical order; empty: its global index.
  std::vector<std::int32_t> canonical_positions;

  Set() = default;
  Set(const Set&) = delete;  // `layout` may point into it
  Set& operator=(const Set&) = delete;

  /// Local rows, halos included.
  std::int32_t rows() const { return layout->rows(); }
  /// Local rows of W_level; `level` is at most the highest of the layout.
  std::int32_t within(Level level) const { return layout->within(level); }
  /// Of a local row in the canonical order, if this is the ordering set (Mesh::ordering_set).
  std::int64_t canonical_position(std::int64_t row) const {
    return canonical_positions.empty() ? global_index(row)
                                       : canonical_positions[static_cast<std::size_t>(row)];
  }
  /// The global index of a local row.
  std::int64_t global_index(std::int64_t row) const {
    return global_indices.empty() ? first + row : global_indices[static_cast<std::size_t>(row)];
  }
  /// @param rows  `declared_layout`, or what outlives its use here
  void take_layout(const Layout& rows);
};

/// `op_map_core::map` points to the entries, shape [rows x dim]: local rows of `to` once the mesh
/// is distributed or reordered; before, global indices.
struct Map : op_map_core {
  std::string name_storage;
  /// Shape [rows x dim]. Once the mesh is distributed, the host's bytes are those of the halo plan.
  Array entries;

  std::span<const std::int32_t> values() const {
    return {reinterpret_cast<const std::int32_t*>(entries.host_read()),
            entries.bytes() / sizeof(std::int32_t)};
  }
  void take_entries(HostBytes fresh) {
    entries.replace(std::move(fresh));
    map = reinterpret_cast<int*>(entries.host_address());
  }
};

struct Dat : op_dat_core {
  std::string name_storage;
  Type value_type;
  Array rows;  ///< shape [rows of the set x dim], packed; `data` is the host's copy
  bool temporary;
  /// The rows are `size` bytes of which only the program knows all. Only loops and `op_fetch_data`
  /// use them; unless there is padding, `value_type` is bool and the loops run as host functions.
  bool opaque = false;
  /// Rows of an opaque dat that are longer than `dim` values of `value_type`: so many more follow
  /// the values. Kernels get whole rows.
  int padding = 0;
  std::string type_storage;  ///< of `type` of an opaque dat

  /// Whether op_partition takes them for coordinates.
  bool are_coordinates() const { return value_type == Type::f64 && dim <= 3 && !opaque; }
  /// Whether the type of the rows is not known.
  bool is_untyped() const { return opaque && padding == 0; }

  const Set& on() const { return static_cast<const Set&>(*set); }
  /// Bytes of all rows.
  std::size_t bytes() const {
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(on().rows());
  }
  /// Bytes of the rows that this rank holds as declared.
  std::size_t declared_bytes() const {
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(on().declared);
  }
  void take_rows(HostBytes fresh) {
    rows.replace(std::move(fresh));
    data = reinterpret_cast<char*>(rows.host_address());
  }
  /// Keeps existing rows; new ones are zero.
  void resize_rows() {
    rows.resize(bytes());
    data = reinterpret_cast<char*>(rows.host_address());
  }
};

struct Global : op_global_core {
  std::string name_storage;
  Type value_type;
  Array value;  ///< shape [dim]; the same on every rank
  /// This rank's partial result since the value was last combined over the ranks: shape [dim].
  Array partial;
  bool has_partial = false;            ///< otherwise it means nothing
  op_access partial_access = OP_READ;  ///< the reduction that combines it
  bool partial_is_exact = false;       ///< it is not rounded: ExactSum of the type, shape [dim]
  bool nan_wins = false;               ///< of a minimum or maximum: it is NaN if any value is
};

/// A constant that kernels see by name. Its address never changes, so that linked code can hold it.
struct Constant {
  std::string name;
  Type type;
  int dim;
  Buffer value;  ///< shape [dim]
};

/// A kernel whose source is given at run time.
struct Kernel : op_kernel_core {
  std::string name_storage, source_storage, file_storage;
};

/// Fills a kernel that has no host function. @param line  of the call that declares it
void describe(Kernel& kernel, const char* name, std::string source, const char* file, int line,
              bool source_is_file);

/// A variable of the program that kernels name. Queued loops use the copy `value`, whose address
/// never changes, so that linked code can hold it.
struct Variable {
  const void* origin;  ///< the program's
  std::size_t bytes;
  Buffer value;

  /// Whether the program has changed it since `value` was taken. Cost O(bytes).
  bool has_changed() const { return std::memcmp(value.get(), origin, bytes) != 0; }
};

/// A variable by the name that a kernel's source uses.
struct NamedVariable {
  std::string name;         ///< e.g. "qinf"
  std::string declaration;  ///< e.g. "double qinf[4]"
  Variable* variable;
};

/// A kernel given as a function pointer. Its source is known if it was embedded into the program at
/// build time.
struct FunctionKernel : Kernel {
  std::vector<NamedVariable> variables;  ///< that the source uses but does not define
  std::string why_no_source;             ///< if there is none
  std::string facts_storage;             ///< of `facts`
};

/// Addresses of records, looked up for every argument of every call: open addressing, at most half
/// full.
class HandleSet {
 public:
  /// Never reads through the handle. Null is never contained.
  bool contains(const void* handle) const { return slots_[slot_of(handle)] != nullptr; }

  void insert(const void* handle) {
    if (2 * (size_ + 1) > slots_.size()) refill(2 * slots_.size());
    const void*& slot = slots_[slot_of(handle)];
    size_ += slot == nullptr ? 1 : 0;
    slot = handle;
  }

  /// Cost: all handles.
  void erase(const void* handle) {
    slots_[slot_of(handle)] = nullptr;
    refill(slots_.size());
  }

  void clear() { *this = {}; }

 private:
  /// Where the handle is, or the empty slot where it would be.
  std::size_t slot_of(const void* handle) const {
    const std::size_t last = slots_.size() - 1;
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(handle) * 0x9e3779b97f4a7c15ULL;
    std::size_t slot = hash >> shift_;
    while (slots_[slot] != nullptr && slots_[slot] != handle) slot = (slot + 1) & last;
    return slot;
  }

  /// @param slots  a power of two
  void refill(std::size_t slots) {
    const std::vector<const void*> old =
        std::exchange(slots_, std::vector<const void*>(slots, nullptr));
    shift_ = 64 - std::countr_zero(slots);
    size_ = 0;
    for (const void* handle : old)
      if (handle != nullptr) insert(handle);
  }

  std::vector<const void*> slots_ = std::vector<const void*>(16, nullptr);
  int shift_ = 60;  ///< of a hash, to a slot
  std::size_t size_ = 0;
};

/// Names of records of one kind, none of them twice.
/// Cost of each function: constant, however many records want one name.
class UniqueNames {
 public:
  /// Takes `name`, or the first free one of "name#2", "name#3", ...
  std::string take(const std::string& name) {
    std::string unique = name;
    while (users_[unique] > 0)
      unique = name + "#" + std::to_string(++last_number_.try_emplace(name, 1).first->second);
    ++users_[unique];
    return unique;
  }

  /// Of a record whose name need not be unique: while it has that name, `take` gives no other that.
  void share(const std::string& name) { ++users_[name]; }
  void end_share(const std::string& name) { --users_[name]; }

 private:
  std::unordered_map<std::string, int> users_;
  std::unordered_map<std::string, int> last_number_;  ///< that was given, by name
};

/// Everything that a program has declared. Local; the checks of arguments are in validate.hpp.
/// A name that is taken already gets a number ("q#2"); temporary dats may share names.
class Mesh {
 public:
  /// @param line  of the call that declares the kernel
  Kernel& add_kernel(const char* name, std::string source, const char* file, int line,
                     bool source_is_file);
  /// @param source  empty if the source is not known
  FunctionKernel& add_function_kernel(void (*function)(), HostCall call, const char* name,
                                      std::string source, const char* file, int line);
  /// Null if there is none yet.
  FunctionKernel* kernel_of_function(void (*function)()) const;
  /// What is known of a kernel beside its source; null unless it is a function of the program.
  const FunctionKernel* function_of(op_kernel kernel) const;
  const std::unordered_map<void (*)(), std::unique_ptr<FunctionKernel>>& functions() const {
    return functions_;
  }
  /// The variable at an address; a new one takes its present value.
  Variable& variable_at(const void* origin, std::size_t bytes);
  Set& add_set(const DeclaredRange& range, const char* name);
  Map& add_map(op_set from, op_set to, int dim, const std::int32_t* values, const char* name);
  /// Reuses a freed temporary dat of the same shape if there is one and `temporary` is set.
  /// @param values  of the declared rows; must be null unless the mesh is as declared
  Dat& add_dat(op_set set, int dim, Type type, const void* values, const char* name,
               bool temporary);
  Global& add_global(int dim, Type type, const void* initial, const char* name);
  /// Declares the constant or replaces its value.
  void set_constant(const std::string& name, Type type, int dim, const void* values);

  /// Marks a temporary dat as free. Its memory may be taken again after `recycle`.
  bool release(op_dat dat);
  /// To be called when no queued loop refers to released dats any more.
  void recycle();

  /// From now on all present and later dats, maps and globals may have copies on a device. Null
  /// ends that: all become current on the host. `copies` must outlive the mesh or that last call.
  /// The first error of the device is thrown when all arrays have changed.
  void use(DeviceCopies* copies);

  /// True if the handle was declared in this session and not freed. Never reads through it.
  bool knows(op_set set) const { return known_sets_.contains(set); }
  bool knows(op_map map) const { return known_maps_.contains(map); }
  bool knows(op_dat dat) const { return known_dats_.contains(dat); }
  bool knows(op_global global) const { return known_globals_.contains(global); }
  bool knows(op_kernel kernel) const { return known_kernels_.contains(kernel); }

  // The canonical order of elements follows from what the program declares: neither ranks nor the
  // time of a flush have a part in it. Elements of the ordering set are in the order of their
  // global indices or, if that has bad locality, in another one that follows from the mesh
  // (Set::canonical_positions). Those of a set with a map to it follow: they are sorted by the last
  // element that they access through that map, then by their global indices. All others are in the
  // order of their indices.

  /// The set whose order others follow; null: it is to be chosen. A new set or map makes it null.
  const Set* ordering_set() const { return ordering_set_; }
  /// Chooses it unless that has been done since the last set or map was declared: of those that
  /// maps lead to, the one with most bytes of dats, temporary ones apart. Local, uniform. To be
  /// called where the program is at the same point whatever the settings: by its first loop.
  /// Cost O(sets + maps + dats).
  void choose_ordering_set();
  /// The map by which a set's elements follow others; null: they do not. Local, uniform.
  /// Cost O(maps).
  const Map* ordering_map(const Set& set) const;

  /// Frees the data and forgets the handles, but keeps the records: their addresses are never
  /// reused, so that a handle of an ended session is always recognised.
  void end();

  const std::vector<std::unique_ptr<Set>>& sets() const { return sets_; }
  const std::vector<std::unique_ptr<Map>>& maps() const { return maps_; }
  const std::vector<std::unique_ptr<Dat>>& dats() const { return dats_; }
  const std::vector<std::unique_ptr<Global>>& globals() const { return globals_; }
  const std::unordered_map<std::string, Constant>& constants() const { return constants_; }

 private:
  Dat* take_recycled(op_set set, int dim, Type type);
  void rename(Dat& dat, const char* name);

  UniqueNames set_names_, map_names_, dat_names_, global_names_;
  std::vector<std::unique_ptr<Set>> sets_;
  std::vector<std::unique_ptr<Map>> maps_;
  std::vector<std::unique_ptr<Dat>> dats_;
  std::vector<std::unique_ptr<Global>> globals_;
  std::unordered_map<std::string, Constant> constants_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::unordered_map<void (*)(), std::unique_ptr<FunctionKernel>> functions_;
  std::map<std::pair<const void*, std::size_t>, Variable> variables_;
  HandleSet known_sets_, known_maps_, known_dats_, known_globals_, known_kernels_;
  std::vector<Dat*> released_;  ///< freed by the user, perhaps still in queued loops
  std::vector<Dat*> reusable_;
  DeviceCopies* copies_ = nullptr;
  const Set* ordering_set_ = nullptr;
};

inline Dat* record_of(op_dat dat) {
  return static_cast<Dat*>(dat);
}
inline Map* record_of(op_map map) {
  return static_cast<Map*>(map);
}
inline Global* record_of(op_global global) {
  return static_cast<Global*>(global);
}
inline Set* record_of(op_set set) {
  return static_cast<Set*>(set);
}

}  // namespace op2::core
