// SPDX-License-Identifier: BSD-3-Clause
// Those stand-ins for headers of the standard library that are the same for all compilers.
#pragma once

#include <vector>

#include <jit/kernel_library/algorithms.hpp>
#include <jit/kernel_library/complex_numbers.hpp>
#include <jit/kernel_library/numbers.hpp>
#include <jit/kernel_library/utilities.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// They include <stddef.h>, <math.h> and <initializer_list>, which each compiler has its own of.
inline std::vector<IncludedFile> common_headers() {
  return {{"algorithm", algorithms},
          {"utility", utilities},
          {"array", arrays},
          {"numeric", numerics},
          {"functional", functionals},
          {"limits", limits},
          {"numbers", numbers},
          {"complex", complex_numbers},
          {"op2_traits", number_traits},
          {"cmath", "#include <math.h>\n"},
          {"cstdlib", "#include <stdlib.h>\n"},
          {"cstdint", "#include <stdint.h>\n"},
          {"cstddef", "#include <stddef.h>\n"},
          {"cfloat", "#include <float.h>\n"},
          {"climits", "#include <limits.h>\n"},
          {"cstring", "#include <string.h>\n"},
          {"cstdio", "#include <stdio.h>\n"},
          {"cassert", "#include <assert.h>\n"}};
}

}  // namespace op2::jit
