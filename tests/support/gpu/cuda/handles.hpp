// SPDX-License-Identifier: BSD-3-Clause
// Objects that a program knows by address: which addresses are some?
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace op2::test::gpu::cuda {

/// What a function of the driver returns instead of success.
struct DriverError {
  int code;
};

template <class Object>
class Handles {
 public:
  /// @param error  for handles that are not known
  explicit Handles(int error) : error_(error) {}

  template <class... Arguments>
  Object* add(Arguments&&... arguments) {
    auto object = std::make_unique<Object>(Object{std::forward<Arguments>(arguments)...});
    Object* handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /// @throws DriverError
  Object& at(const Object* handle) {
    const auto found = objects_.find(handle);
    if (found == objects_.end()) throw DriverError{error_};
    return *found->second;
  }
  void remove(const Object* handle) {
    at(handle);
    objects_.erase(handle);
  }
  auto begin() { return objects_.begin(); }
  auto end() { return objects_.end(); }

 private:
  int error_;
  std::map<const Object*, std::unique_ptr<Object>> objects_;
};

}  // namespace op2::test::gpu::cuda
