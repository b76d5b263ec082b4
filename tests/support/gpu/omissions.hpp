// SPDX-License-Identifier: BSD-3-Clause
// Planted mistakes: what a program should ask of a device and does not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace op2::test::gpu {

/// What is asked of a stream or an event.
enum class Request {
  upload,
  download,
  fill,
  launch,
  wait_for,  ///< of a stream for an event
  wait       ///< of the host
};

/// What was left out.
struct Omitted {
  std::string text;   ///< for example "launch 'unpack'"; empty: nothing yet
  bool idle = false;  ///< a wait for what was known to be over
};

/// Leaves one request out.
class Omissions {
 public:
  /// The `k`-th request of a kind from now on (1 is the next one) is not made.
  /// @param text  counts only requests of this text; empty: all
  void leave_out(Request kind, std::int64_t k, std::string text = {}) {
    kind_ = kind;
    countdown_ = k;
    text_ = std::move(text);
  }
  const Omitted& omitted() const { return omitted_; }

  /// To be called for every request: whether this one is left out.
  bool omits(Request kind, const Omitted& request) {
    if (kind != kind_ || (!text_.empty() && text_ != request.text)) return false;
    if (countdown_ == 0 || --countdown_ > 0) return false;
    omitted_ = request;
    return true;
  }

 private:
  Request kind_ = Request::upload;
  std::int64_t countdown_ = 0;
  std::string text_;
  Omitted omitted_;
};

}  // namespace op2::test::gpu
