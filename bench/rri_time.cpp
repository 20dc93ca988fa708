// SPDX-License-Identifier: MIT
// rri_time DATA RANK [SCALE]: RRI-NMF against another program's factorization, driven over stdin and stdout by rri.py.
//   start FILE    NNDSVDa's W and T into FILE, row after row, doubles; answers with the objective there
//   run TARGET    sweeps from that start until the objective is TARGET or less; answers: seconds sweeps objective
//   memory        answers: bytes of the data, and the most bytes that two sweeps took beyond data and start
#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>

#include "core/data/formats.h"
#include "core/factorization/nndsvd.h"
#include "core/factorization/rri.h"

namespace {

using namespace sotto;

constexpr int most_sweeps = 2000;

/// A line of /proc/self/status: VmRSS, what there is now; VmHWM, the most there was.
std::int64_t status_bytes(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key + ":")) return 1024 * std::stoll(line.substr(key.size() + 1));
  return 0;
}

Samples read_samples(const std::string& path, double scale) {
  FileSource source(path, path);
  const Samples Z = read_data(source, path, {}).samples;
  return Z.changed([&](Index, Index, double x) { return scale * x; });
}

void write_rows(std::ofstream& out, const Matrix& m) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = m;
  out.write(reinterpret_cast<const char*>(rows.data()),
            static_cast<std::streamsize>(rows.size() * sizeof(double)));
}

void run(const Samples& Z, const NonnegativeStart& start, double target) {
  const auto begin = std::chrono::steady_clock::now();
  RriHalf half(Z, {}, start.T, start.W);
  int sweeps = 0;
  for (; sweeps < most_sweeps && half.objective() > target; ++sweeps) rri_sweep(half);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {} {}\n", took.count(), sweeps, half.objective());
}

void memory(const Samples& Z, const NonnegativeStart& start) {
  ::malloc_trim(0);
  const std::int64_t before = status_bytes("VmRSS");
  std::ofstream("/proc/self/clear_refs") << 5;  // VmHWM starts again
  RriHalf half(Z, {}, start.T, start.W);
  for (int sweep = 0; sweep < 2; ++sweep) rri_sweep(half);
  const Index data = Z.sparse() ? 12 * Z.stored() + 4 * Z.cols() : 8 * Z.stored();
  fmt::print("{} {}\n", data, status_bytes("VmHWM") - before);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const Samples Z = read_samples(argv[1], argc > 3 ? std::stod(argv[3]) : 1.0);
  const Index rank = std::stol(argv[2]);
  const NonnegativeStart start = nndsvd(Z, rank, Z.mean_abs());
  for (std::string word; std::cin >> word;) {
    if (word == "start") {
      std::cin >> word;
      std::ofstream out(word, std::ios::binary);
      write_rows(out, start.W);
      write_rows(out, start.T);
      fmt::print("{}\n", RriHalf(Z, {}, start.T, start.W).objective());
    } else if (word == "run") {
      double target = 0;
      std::cin >> target;
      run(Z, start, target);
    } else if (word == "memory") {
      memory(Z, start);
    }
    std::fflush(stdout);
  }
}
