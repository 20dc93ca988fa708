// SPDX-License-Identifier: MIT
// Every enumeration refuses an unknown word: called as a library, and as a setting.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/algorithms/kinds.h"
#include "core/algorithms/start_options.h"
#include "core/algorithms/topic_start.h"
#include "core/data/data_options.h"
#include "core/experiment/options.h"
#include "core/experiment/settings.h"
#include "core/factorization/bcd.h"
#include "core/factorization/rri.h"
#include "core/measures/application.h"
#include "core/protocols/exchange_options.h"
#include "core/protocols/sum_options.h"
#include "network/time/options.h"

using namespace sotto;

TEST_CASE_TEMPLATE("words: known ones come back, unknown ones throw with what is allowed", E, Duplex,
                   CostPreset, PaillierKind, SealChoice, DataSource, SampleLayout, Scale, FrequencySource,
                   SampleOrder, SplitKind, Variant, LeftFactor, RightFactor, TopicSet, CountedEntries,
                   ExchangePrivacy, SumKind, OfflinePhase, Initialization, WeightsPublished, Entropy) {
  CAPTURE(Words<E>::setting);
  for (const auto& entry : Words<E>::all) {
    CHECK(from_word<E>(entry.word) == entry.value);
    CHECK(word_of(entry.value) == entry.word);
    for (const char* wrong : {"", "anything", "PUBLISHED"})
      CHECK_THROWS_WITH_AS(from_word<E>(wrong), doctest::Contains(std::string(entry.word).c_str()),
                           UnknownWord);
  }
  CHECK_THROWS_AS(word_of(static_cast<E>(200)), RunError);
  const Setting* setting = scenario_settings().find(Words<E>::setting);
  REQUIRE(setting != nullptr);
  OptionSet options;
  CHECK(setting->read(options, std::string("anything")));
  CHECK(setting->write(options) == setting->write(OptionSet{}));
}

TEST_CASE("words: every enumeration of the sources is in the list above, or private to one file") {
  const std::filesystem::path root(SOTTO_SOURCE_DIR);
  std::ifstream self(root / "tests/core/experiment/words_test.cpp");
  std::stringstream listed;
  listed << self.rdbuf();
  int found = 0;
  for (const char* room : {"base", "crypto", "network", "core", "cli"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("struct Words<")) continue;
        const std::string name = line.substr(13, line.find('>') - 13);
        CAPTURE(name);
        CHECK(listed.str().find(" " + name) != std::string::npos);
        ++found;
      }
    }
  CHECK(found == 21);
}

TEST_CASE("words: names of tables are refused as a library, too") {
  OptionSet options;
  options.edit<AlgorithmOptions>().name = "anything";
  CHECK_THROWS_WITH_AS(algorithm_of(options), doctest::Contains("pd-nmf"), UnknownWord);
  CHECK_THROWS_WITH_AS(find_scheme("anything"), doctest::Contains("paillier"), UnknownWord);
  options.edit<ApplicationOptions>().kind = "anything";
  CHECK_THROWS_WITH_AS(application_of(options), doctest::Contains("topics"), UnknownWord);
}
