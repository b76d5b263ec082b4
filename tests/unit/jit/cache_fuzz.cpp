// SPDX-License-Identifier: BSD-3-Clause
// Damages entries at random and checks that every one is refused, moved away and replaced.
//
//     cache_fuzz [COUNT [SEED]]
#include <cstdio>
#include <random>

#include "cache_support.hpp"

namespace op2::jit {
namespace {

using test::entry_number;
using test::path_of;

using Bytes = std::vector<std::byte>;

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  template <class Container>
  auto at(Container& bytes) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size()));
  }

  Bytes apply(Bytes file, const Bytes& other) {
    switch (below(7)) {
      case 0:
        file[below(file.size())] ^= std::byte(1 << below(8));
        break;
      case 1:
        file.resize(below(file.size()));
        break;
      case 2:
        std::fill(at(file), file.end(), std::byte{0});
        break;
      case 3:
        file.insert(at(file), at(other), other.end());
        break;
      case 4:
        file = other;
        break;
      case 5:
        std::generate(at(file), file.end(), [&] { return std::byte(random_()); });
        break;
      case 6:
        std::ranges::rotate(file, at(file));
        break;
    }
    // Half of them with a checksum that holds, to get past it.
    if (below(2) == 0 && file.size() >= 88) test::sign(file);
    return file;
  }

 private:
  std::mt19937 random_;
};

/// What is found must be what a file of exactly these bytes says, and nothing else.
bool survives(DiskCache& cache, const std::filesystem::path& directory, const CacheEntry& entry,
              const Bytes& file) {
  test::write_file(path_of(directory, entry), file);
  const Key key = make_key(entry.key);
  const auto found = cache.find(key, entry.key);
  if (found && serialise(key, *found) != file) return false;
  if (found) return true;
  // What looks like the file of another version stays: it belongs to whoever reads that version.
  const bool stays = parse_entry(file).state == EntryState::other_version;
  if (std::filesystem::exists(path_of(directory, entry)) != stays) return false;
  return !cache.find(key, entry.key);
}

int run(long count, unsigned seed) {
  const test::TemporaryDirectory place;
  test::OpenCache open(place.path());
  Damage damage(seed);
  for (long i = 0; i < count; ++i) {
    const CacheEntry entry = entry_number(static_cast<int>(damage.below(4)));
    const Bytes file = damage.apply(test::file_of(entry), test::file_of(entry_number(5)));
    if (!survives(*open.cache, place.path(), entry, file)) {
      std::printf("FAILED at case %ld of seed %u\n", i, seed);
      return 1;
    }
  }
  const CacheEntry entry = entry_number(1);
  std::filesystem::remove(path_of(place.path(), entry));
  open.publish(entry);
  const bool usable = open.has(entry);
  std::printf("%ld entries damaged, seed %u: %s\n", count, seed,
              usable ? "passed" : "FAILED, the cache cannot be used any more");
  return usable ? 0 : 1;
}

}  // namespace
}  // namespace op2::jit

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 20'000;
  const unsigned seed =
      argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : std::random_device()();
  return op2::jit::run(count, seed);
}
