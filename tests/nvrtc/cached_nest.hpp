// SPDX-License-Identifier: BSD-3-Clause
// From the key of an entry of the cache (jit/loop_nest.hpp) to kernels that can be compiled again.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <jit/cache_entry.hpp>
#include <jit/loop_nest.hpp>

namespace op2::test {

/// Named texts, one after the other: "NAME SIZE\nTEXT\n" or "NAME, SIZE bytes:\nTEXT\n".
inline std::vector<jit::IncludedFile> texts_in(std::string_view all) {
  std::vector<jit::IncludedFile> texts;
  while (!all.empty()) {
    std::string_view heading = all.substr(0, all.find('\n'));
    all.remove_prefix(heading.size() + 1);
    if (heading.ends_with(" bytes:")) heading.remove_suffix(std::string_view(" bytes:").size());
    const std::size_t space = heading.rfind(' ');
    const std::string size(heading.substr(space + 1));
    std::string name(heading.substr(0, space));
    if (name.ends_with(',')) name.pop_back();
    texts.push_back({name, std::string(all.substr(0, std::stoul(size)))});
    all.remove_prefix(std::stoul(size) + 1);
  }
  return texts;
}

/// The kernels with their sources and files, without arguments and constants.
inline jit::LoopNest kernels_of(const jit::KeyFields& key) {
  jit::LoopNest nest;
  if (key.kernel.find('+') == std::string::npos) {
    nest.calls.push_back({.name = key.kernel, .source = key.source});
    nest.calls[0].includes = texts_in(key.includes);
    return nest;
  }
  for (const jit::IncludedFile& source : texts_in(key.source))
    nest.calls.push_back({.name = source.name, .source = source.text});
  auto call = nest.calls.begin();
  for (const jit::IncludedFile& files : texts_in(key.includes)) {  // of kernels that include any
    call = std::find_if(call, nest.calls.end(), [&](const jit::KernelCall& each) {
      return each.name == files.name && each.source.find('"') != std::string::npos;
    });
    if (call != nest.calls.end()) (call++)->includes = texts_in(files.text);
  }
  return nest;
}

}  // namespace op2::test
