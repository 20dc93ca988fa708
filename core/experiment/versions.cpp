// SPDX-License-Identifier: MIT
#include "core/experiment/versions.h"

#include <fmt/format.h>
#include <gmp.h>
#include <openssl/crypto.h>

#include <Eigen/Core>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "network/runtime/workers.h"
#include "sotto_commit.h"

namespace sotto {

std::string sotto_version() {
  return SOTTO_VERSION;
}

std::string sotto_commit() {
  return SOTTO_COMMIT;
}

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {
      {"compiler", "g++ " __VERSION__},
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"Boost",
       fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"oneTBB", thread_library_version()},
      {"OpenSSL", OPENSSL_VERSION_TEXT},
      {"GMP", gmp_version},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)},
  };
}

}  // namespace sotto
