// SPDX-License-Identifier: BSD-3-Clause
// One directory of a test's own for all ranks of the job.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <mpi.h>

namespace op2::test {

/// Created empty by the first rank; removed by it with everything in it, when all are done.
/// Collective. Its path is empty if it cannot be created.
class SharedFolder {
 public:
  SharedFolder() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    std::string name = (std::filesystem::temp_directory_path() / "op2-test-XXXXXX").string();
    if (rank_ == 0 && ::mkdtemp(name.data()) == nullptr) name[0] = '\0';
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = name.c_str();
  }
  ~SharedFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    std::error_code ignored;
    if (rank_ == 0) std::filesystem::remove_all(path_, ignored);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  int rank_ = 0;
  std::string path_;
};

}  // namespace op2::test
