// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_key.hpp>

#include <set>

#include <gtest/gtest.h>

namespace op2::jit {
namespace {

TEST(CacheKey, ChangesWithEveryField) {
  std::set<Key> keys{make_key({})};
  for (const KeyField& field : key_fields) {
    KeyFields fields;
    fields.*field.value = "x";
    keys.insert(make_key(fields));
  }
  EXPECT_EQ(keys.size(), key_fields.size() + 1);
}

TEST(CacheKey, CoversTheWholeStruct) {
  EXPECT_EQ(sizeof(KeyFields), key_fields.size() * sizeof(std::string));
}

TEST(CacheKey, TellsApartFieldsThatJoinToTheSameText) {
  KeyFields one, other;
  one.kernel = "ab";
  one.source = "c";
  other.kernel = "a";
  other.source = "bc";
  EXPECT_NE(make_key(one), make_key(other));
}

TEST(CacheKey, IsTheSameForEqualFields) {
  KeyFields fields;
  fields.source = "void f() {}";
  EXPECT_EQ(make_key(fields), make_key(KeyFields(fields)));
}

TEST(CacheKey, ReadsBackFromItsName) {
  const Key key = make_key(KeyFields{});
  EXPECT_EQ(key_named(name_of(key)), key);
  EXPECT_FALSE(key_named(short_name_of(key)));
}

TEST(CacheKey, IsFoundByABeginningOfItsName) {
  Key key{};
  key[0] = 0xAB;
  EXPECT_EQ(short_name_of(key), "ab0000000000");
  EXPECT_TRUE(has_prefix(key, "a"));
  EXPECT_TRUE(has_prefix(key, "aB0"));
  EXPECT_TRUE(has_prefix(key, name_of(key)));
  EXPECT_FALSE(has_prefix(key, ""));
  EXPECT_FALSE(has_prefix(key, "b"));
  EXPECT_FALSE(has_prefix(key, name_of(key) + "0"));
}

}  // namespace
}  // namespace op2::jit
