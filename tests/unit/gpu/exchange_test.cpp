// SPDX-License-Identifier: BSD-3-Clause
// An exchange between streams and the host with one step left out: what finds that it is missing.
#include <array>
#include <string>
#include <vector>

#include <support/gpu/device.hpp>
#include <support/gpu/expect_misuse.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::HasSubstr;

enum class Mistake {
  none,
  no_upload,         ///< of the message that came
  no_download,       ///< of the message that goes
  no_event_before,   ///< between the kernel and the packing
  no_wait,           ///< of the host for the packed message
  no_event_after,    ///< between the unpacking and the kernel
  no_wait_at_reuse,  ///< of the host before it fills the pinned buffer again
  no_wait_at_end,    ///< of the host for the result
};

/// Two steps of: work += 1, pack, send to itself (times 10), unpack, work += 1.
/// Kernels that declare their memory let the device find races.
class Exchange {
 public:
  Exchange(const std::string& order, bool declare, Mistake mistake)
      : device_({.schedule = parse_schedule(order)}), declare_(declare), mistake_(mistake) {
    out_[0] = in_[0] = result_[0] = 0;
    device_.fill(work_, q_, std::byte{0}, 8);
    device_.record(work_, packed_);
    device_.wait(packed_);
  }

  double run() {
    for (int step = 0; step < 2; ++step) {
      increment();
      send();
      receive();
      increment();
      reuse();
    }
    device_.download(work_, result_, q_, 8);
    if (mistake_ != Mistake::no_wait_at_end) device_.wait(work_);
    return result_[0];
  }

 private:
  void launch(Device::StreamNumber stream, const char* name, std::vector<Access> accesses,
              std::function<void()> function) {
    if (declare_)
      device_.launch(stream, name, std::move(accesses), std::move(function));
    else
      device_.launch(stream, name, std::move(function));
  }
  void increment() {
    launch(work_, "increment", {{q_, 8, Mode::read_write}}, [this] { q_[0] += 1; });
  }
  void send() {
    DeviceEvent before;
    device_.record(work_, before);
    if (mistake_ != Mistake::no_event_before) device_.wait_for(halo_, before);
    launch(halo_, "pack", {{q_, 8, Mode::read}, {message_, 8, Mode::write}},
           [this] { message_[0] = q_[0]; });
    if (mistake_ != Mistake::no_download) device_.download(halo_, out_, message_, 8);
    device_.record(halo_, packed_);
    if (mistake_ != Mistake::no_wait) device_.wait(packed_);
    in_[0] = 10 * out_[0];
  }
  void receive() {
    if (mistake_ != Mistake::no_upload) device_.upload(halo_, arrived_, in_, 8);
    launch(halo_, "unpack", {{arrived_, 8, Mode::read}, {q_, 8, Mode::write}},
           [this] { q_[0] = arrived_[0]; });
    device_.record(halo_, unpacked_);
    if (mistake_ != Mistake::no_event_after) device_.wait_for(work_, unpacked_);
  }
  void reuse() {
    if (mistake_ != Mistake::no_wait_at_reuse) device_.wait(unpacked_);
    in_[0] = -1;
  }
  double* on_device(const char* name) {
    return reinterpret_cast<double*>(device_.allocate(8, name));
  }
  double* pinned() { return reinterpret_cast<double*>(device_.allocate_pinned(8)); }

  Device device_;
  bool declare_;
  Mistake mistake_;
  Device::StreamNumber work_ = device_.create_stream(), halo_ = device_.create_stream();
  double *q_ = on_device("q"), *message_ = on_device("message"), *arrived_ = on_device("arrived");
  double *out_ = pinned(), *in_ = pinned(), *result_ = pinned();
  DeviceEvent packed_, unpacked_;
};

constexpr double right_result = ((0 + 1) * 10 + 1 + 1) * 10 + 1;

/// "right", "wrong", or the mistake that the device has found.
std::string outcome(const std::string& order, bool declare, Mistake mistake) {
  try {
    return Exchange(order, declare, mistake).run() == right_result ? "right" : "wrong";
  } catch (const Misuse& found) {
    return found.what();
  }
}

const std::array orders{"eager", "lazy", "others", "reversed", "random:1", "random:2", "random:3"};

TEST(Exchange, GivesTheSameResultInEveryOrder) {
  for (const char* order : orders)
    for (const bool declare : {false, true})
      EXPECT_EQ(outcome(order, declare, Mistake::none), "right") << order;
}

class ExchangeMistake : public ::testing::TestWithParam<Mistake> {};
INSTANTIATE_TEST_SUITE_P(Mistakes, ExchangeMistake,
                         ::testing::Values(Mistake::no_upload, Mistake::no_download,
                                           Mistake::no_event_before, Mistake::no_wait,
                                           Mistake::no_event_after, Mistake::no_wait_at_reuse,
                                           Mistake::no_wait_at_end));

TEST_P(ExchangeMistake, IsFoundInSomeOrderByItsResult) {
  int found = 0;
  for (const char* order : orders) found += outcome(order, false, GetParam()) != "right";
  EXPECT_GT(found, 0);
}

TEST_P(ExchangeMistake, IsNotFoundByItsResultIfAllWorkIsDoneAtOnce) {
  const bool changes_data = GetParam() == Mistake::no_upload || GetParam() == Mistake::no_download;
  EXPECT_EQ(outcome("eager", false, GetParam()) == "right", !changes_data);
}

TEST(Exchange, AMissingEventIsARaceInEveryOrder) {
  for (const char* order : orders) {
    EXPECT_THAT(outcome(order, true, Mistake::no_event_before),
                HasSubstr("nothing orders 'increment' and 'pack' on 'q'"));
    EXPECT_THAT(outcome(order, true, Mistake::no_event_after),
                HasSubstr("nothing orders 'unpack' and 'increment' on 'q'"));
  }
}

}  // namespace
}  // namespace op2::test::gpu
