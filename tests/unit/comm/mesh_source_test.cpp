// SPDX-License-Identifier: BSD-3-Clause
// A format of the test: a ring of edges and points, whose rows come in single portions.
#include <comm/files/mesh_reader.hpp>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using comm::MeshReader;
using comm::RowRange;
using comm::RowShape;
using comm::RowSink;
using testing::HasSubstr;

enum class Fault { none, negative, another_size, too_many_rows, twice, too_few, not_asked, index };

/// "ring.toy": edges 0 .. 9, edge e leads from point e to point e + 1.
class Ring final : public comm::MeshSource {
 public:
  explicit Ring(Fault fault = Fault::none, std::int64_t size = 10) : fault_(fault), size_(size) {}
  std::string name() const override { return "ring.toy"; }
  std::optional<std::int64_t> set_size(const std::string& set) override {
    if (set != "edges" && set != "points") return {};
    return fault_ == Fault::negative ? -3 : size_;
  }
  std::optional<RowShape> map_shape(const std::string&) override {
    return RowShape{fault_ == Fault::too_many_rows ? 11 : size_, 2};
  }
  std::optional<RowShape> dat_shape(const std::string&) override { return RowShape{size_, 1}; }
  void read_map(const std::string&, RowRange range, RowSink& sink) override {
    for (auto e = range.first + range.count - 1; e >= range.first + (fault_ == Fault::too_few);
         --e) {
      const std::int64_t row[] = {e, fault_ == Fault::index ? 10 : (e + 1) % size_};
      sink.put(fault_ == Fault::not_asked ? e + 1 : e, 1, row);
      if (fault_ == Fault::twice) sink.put(e, 1, row);
    }
  }
  void read_dat(const std::string&, Type, RowRange range, RowSink& sink) override {
    for (auto e = range.first; e < range.first + range.count; ++e) {
      const double x = 0.5 * static_cast<double>(e);
      sink.put(e, 1, &x);
    }
  }

 private:
  Fault fault_;
  std::int64_t size_;
};
static_assert(__LINE__ < 60, "a toy format is this short");

TEST(MeshSource, EveryRankReadsItsBlock) {
  comm::run_fake_ranks(3, [](comm::Communicator& ranks) {
    Ring ring;
    MeshReader reader(ranks, ring);
    const comm::Blocks edges = reader.set_blocks("edges");
    const auto first =
        static_cast<std::int32_t>(edges.begin[static_cast<std::size_t>(ranks.rank())]);
    const auto ends = reader.map_rows("ends", edges, 10, 2);
    const comm::Bytes x = reader.dat_rows("x", edges, Type::f64, 1);
    ASSERT_EQ(ends.size(), 2 * static_cast<std::size_t>(edges.count(ranks.rank())));
    EXPECT_EQ(ends[1], (first + 1) % 10);
    EXPECT_EQ(*reinterpret_cast<const double*>(x.data()), 0.5 * first);
  });
}

/// The message of a rank that reads a faulty ring together with a good one.
std::string message_of(Fault fault, ErrorCode code = ErrorCode::bad_dataset) {
  return error_text(code, [&] {
    comm::run_fake_ranks(2, [&](comm::Communicator& ranks) {
      Ring ring(ranks.is_root() ? Fault::none : fault);
      MeshReader reader(ranks, ring);
      reader.map_rows("ends", reader.set_blocks("edges"), 10, 2);
    });
  });
}

TEST(MeshSource, ThatLiesAboutExtentsIsNamedWithTheNumbers) {
  EXPECT_THAT(message_of(Fault::negative), HasSubstr("set 'edges' of 'ring.toy', -3 elements"));
  EXPECT_THAT(message_of(Fault::too_many_rows),
              HasSubstr("map 'ends' of 'ring.toy', 11 x 2 values instead of 10 x 2"));
}

TEST(MeshSource, WhoseExtentsDifferOnRanksIsNamed) {
  const auto text = error_text(ErrorCode::bad_dataset, [] {
    comm::run_fake_ranks(2, [](comm::Communicator& ranks) {
      Ring ring(Fault::none, ranks.is_root() ? 10 : 12);
      MeshReader(ranks, ring).set_blocks("edges");
    });
  });
  EXPECT_THAT(text, HasSubstr("set 'edges' of 'ring.toy', 10 to 12 elements"));
}

TEST(MeshSource, ThatGivesARowTwiceIsNamed) {
  EXPECT_THAT(message_of(Fault::twice), HasSubstr("twice: map 'ends' of 'ring.toy', row 9"));
}

TEST(MeshSource, ThatGivesTooFewRowsIsNamed) {
  EXPECT_THAT(message_of(Fault::too_few),
              HasSubstr("map 'ends' of 'ring.toy', 1 of 5 are missing, the first is row 5"));
}

TEST(MeshSource, ThatGivesRowsOfOtherRanksIsNamed) {
  EXPECT_THAT(message_of(Fault::not_asked),
              HasSubstr("map 'ends' of 'ring.toy', rows [10, 11) instead of [5, 10)"));
}

TEST(MeshSource, WithAnIndexOutOfRangeIsNamed) {
  EXPECT_THAT(message_of(Fault::index, ErrorCode::map_out_of_range),
              HasSubstr("map 'ends' of 'ring.toy', row 5, column 1 is 10, not in [0, 10)"));
}

TEST(MeshSource, WithoutAnObjectIsNamed) {
  const auto text = error_text(ErrorCode::bad_dataset, [] {
    const auto alone = comm::make_self_communicator();
    Ring ring;
    MeshReader(*alone, ring).set_blocks("cells");
  });
  EXPECT_THAT(text, HasSubstr("set 'cells' of 'ring.toy'"));
}

std::unique_ptr<comm::MeshSource> open_ring(const std::string&) {
  return std::make_unique<Ring>();
}

TEST(MeshFormats, AreOpenedByName) {
  const comm::MeshFormats formats("mesh format", {{"toy", open_ring}});
  EXPECT_EQ(open_mesh(formats, "toy", "ring.toy")->name(), "ring.toy");
}

TEST(MeshFormats, OfUnknownNamesAreAnErrorThatListsTheOthers) {
  const comm::MeshFormats formats("mesh format", {{"toy", open_ring}, {"other", open_ring}});
  const auto text =
      error_text(ErrorCode::bad_option, [&] { open_mesh(formats, "cgns", "ring.cgns"); });
  EXPECT_THAT(text, HasSubstr("'cgns' of 'ring.cgns'; use toy or other"));
}

TEST(MeshFormats, OfOneNameAreAnError) {
  comm::MeshFormats formats("mesh format", {{"toy", open_ring}});
  const auto text = error_text(ErrorCode::bad_name, [&] { formats.add({"toy", open_ring}); });
  EXPECT_THAT(text, HasSubstr("two mesh formats have the same name: 'toy'"));
}

}  // namespace
}  // namespace op2::test
