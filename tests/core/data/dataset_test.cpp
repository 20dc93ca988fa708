// SPDX-License-Identifier: MIT
// From [data] to what each agent holds: files found and refused, dealt out, held out, drawn.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "base/decompositions.h"
#include "core/data/synthetic.h"
#include "core/results/output.h"
#include "tests/support/data_files.h"
#include "tests/support/experiments.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

/// Samples of three features; the first is the sample's number from 0.
std::string numbered_csv(int samples, int from = 0) {
  std::string text;
  for (int k = 0; k < samples; ++k)
    text += std::to_string(from + k) + "," + std::to_string(1 + k % 5) + ",1\n";
  return text;
}

Experiment read(const TemporaryFolder& folder, const std::string& data, const std::string& rest = "") {
  return parse_experiment(
      "[topology]\nagents = 4\n[algorithm]\nrank = 2\nouter_iterations = 6\n[data]\n" + data + "\n" + rest,
      "test.toml", folder.path());
}

std::string refused(const TemporaryFolder& folder, const std::string& data, const std::string& rest = "") {
  try {
    read(folder, data, rest);
  } catch (const ScenarioError& e) {
    return e.what();
  }
  return "read";
}

std::multiset<double> numbers_in(const Samples& s) {
  std::multiset<double> numbers;
  for (Index c = 0; c < s.cols(); ++c) numbers.insert(s.column(c)[0]);
  return numbers;
}

}  // namespace

TEST_CASE("data file: every sample is dealt out or held out, once; a new deal in each trial") {
  const TemporaryFolder folder;
  folder.write("a.csv", numbered_csv(40));
  const Experiment e =
      read(folder, "file = \"a.csv\"\nheld_out = 7\nsplit = { kind = \"uniform\", min = 3 }");
  CHECK(e.main.get<DataOptions>().source == DataSource::file);
  CHECK(e.shape.samples == 33);
  const TrialData first = Trial(e, 0).data;
  const TrialData second = Trial(e, 1).data;
  CHECK(first.held_out.cols() == 7);
  CHECK(first.parts.size() == 4);
  std::multiset<double> all = numbers_in(first.held_out);
  for (const Samples& part : first.parts) {
    CHECK(part.cols() >= 3);
    all.merge(numbers_in(part));
  }
  std::multiset<double> expected;
  for (int k = 0; k < 40; ++k) expected.insert(k);
  CHECK(all == expected);
  CHECK(numbers_in(first.held_out) != numbers_in(second.held_out));
  for (std::size_t k = 0; k < first.numbers.size(); ++k)  // it is known where each came from
    CHECK(first.all.column(static_cast<Index>(k))[0] == static_cast<double>(first.numbers[k]));
  for (std::size_t k = 0; k < first.held_out_numbers.size(); ++k)
    CHECK(first.held_out.column(static_cast<Index>(k))[0] == static_cast<double>(first.held_out_numbers[k]));
}

TEST_CASE("data file: order = file keeps it, a share is held out at its end") {
  const TemporaryFolder folder;
  folder.write("a.csv", numbered_csv(40));
  const Experiment e = read(folder, "file = \"a.csv\"\norder = \"file\"\nheld_out = 0.25");
  const TrialData data = Trial(e, 3).data;
  CHECK(data.held_out.cols() == 10);
  CHECK(data.held_out.column(0)[0] == 30);
  CHECK(data.parts[0].column(0)[0] == 0);
  CHECK(data.parts[3].column(6)[0] == 29);
}

TEST_CASE("data file: one per agent, sizes as they are, held-out samples leave everybody one") {
  const TemporaryFolder folder;
  for (int a = 0; a < 4; ++a)
    folder.write("party" + std::to_string(a) + ".csv", numbered_csv(1 + 5 * a, 100 * a));
  const std::string list = "file = [\"party0.csv\", \"party1.csv\", \"party2.csv\", \"party3.csv\"]";
  const Experiment e = read(folder, list + "\nheld_out = 20");
  CHECK(e.inputs.size() == 5);
  const TrialData data = Trial(e, 0).data;
  CHECK(data.held_out.cols() == 20);
  Index kept = 0;
  for (int a = 0; a < 4; ++a) {
    const Samples& part = data.parts[static_cast<std::size_t>(a)];
    REQUIRE(part.cols() >= 1);
    kept += part.cols();
    for (Index c = 0; c < part.cols(); ++c) CHECK(static_cast<int>(part.column(c)[0]) / 100 == a);
  }
  CHECK(kept == 14);
  CHECK(contains(refused(folder, "file = [\"party0.csv\", \"party1.csv\"]"),
                 "data.file: names 2 files, but there are 4 agents"));
  CHECK(contains(refused(folder, list + "\nheld_out = 31"),
                 "data.held_out: leaves 3 of 34 samples to 4 agents"));
  folder.write("party3.csv", "a,b,c\n1,2,3\n");
  folder.write("party2.csv", "a,c,b\n1,2,3\n");
  CHECK(contains(refused(folder, list), "party3.csv: has names of features other than those of party0.csv"));
  folder.write("party3.csv", "1,2\n");
  CHECK(contains(refused(folder, list), "party3.csv: has 2 features, but party0.csv has 3"));
}

TEST_CASE("data file: sparse files of agents stay sparse when joined") {
  const TemporaryFolder folder;
  for (int a = 0; a < 4; ++a)
    folder.write("docword." + std::to_string(a), "2\n3\n2\n1 2 " + std::to_string(a + 1) + "\n2 3 9\n");
  const Experiment e = read(folder, "file = [\"docword.0\", \"docword.1\", \"docword.2\", \"docword.3\"]");
  CHECK(e.data->samples.sparse());
  CHECK(e.data->samples.cols() == 8);
  CHECK(Trial(e, 0).data.parts[2].column(0)[1] == 3);
}

TEST_CASE("data file: what is wrong names the file, the place, the key") {
  const TemporaryFolder folder;
  folder.write("negative.csv", "1,2\n3,-4\n5,6\n7,8\n9,9\n");
  folder.write("a.csv", numbered_csv(40));
  folder.write("words.txt", "alpha\nbeta\n");
  CHECK(contains(refused(folder, "file = \"negative.csv\""),
                 "negative.csv: sample 2, feature 2 is -4, but ppdnmf factorizes nonnegative data"));
  CHECK(contains(refused(folder, "file = \"missing.csv\""),
                 "data.file: there is no \"" + folder.path() + "/missing.csv\""));
  CHECK(
      contains(refused(folder, "source = \"file\""), "data.source: is \"file\", but there is no data.file"));
  CHECK(contains(refused(folder, "file = []"), "data.file: must be a path, or a list of paths"));
  CHECK(contains(refused(folder, "file = \"a.csv\"\nheld_out = 38"),
                 "data.held_out: leaves 2 of 40 samples to 4 agents"));
  CHECK(contains(refused(folder, "file = \"a.csv\"\nheld_out = 100"), "data.held_out: leaves 0 of 40"));
  CHECK(contains(refused(folder, "file = \"a.csv\"\nimage = { width = 2, height = 2 }"),
                 "data.image: is 2 x 2, but samples have 3 features"));
  CHECK(contains(refused(folder, "file = \"a.csv\"\nimage = { width = 2 }"),
                 "data.image: needs both width and height"));
  CHECK(contains(refused(folder, "file = \"a.csv\"\nvocabulary = \"words.txt\""),
                 "words.txt: has 2 words, but the data has 3 features"));
  CHECK(contains(refused(folder, "file = \"a.csv\"\nsplit = { kind = \"sizes\", sizes = [10, 10, 10, 11] }"),
                 "adds up to 41, but there are 40"));
  CHECK(contains(refused(folder, "file = \"a.csv\"", "[output]\nimages = [1]"),
                 "output.images: needs samples that are pictures"));
  CHECK(contains(
      refused(folder, "file = \"a.csv\"\nimage = { width = 3, height = 1 }", "[output]\nimages = [41]"),
      "names sample 41"));
  CHECK(contains(refused(folder, "file = \"a.csv\"\nscale = \"tf-idf\"\nimage = { width = 3, height = 1 }",
                         "[output]\nimages = [1]"),
                 "output.images: draws samples as they are in the file"));
  CHECK(contains(refused(folder, "source = \"synthetic-pca\""),
                 "data.source: synthetic-pca draws negative numbers, which ppdnmf does not take"));
  CHECK(refused(folder, "source = \"synthetic-nmf\"\nfile = \"missing.csv\"") ==
        "read");  // valid, and not used
}

TEST_CASE("data file: found through SOTTO_DATA where the scenario's folder has none") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  elsewhere.write("a.csv", numbered_csv(40));
  ::setenv("SOTTO_DATA", elsewhere.path().c_str(), 1);
  CHECK(refused(folder, "file = \"a.csv\"") == "read");
  CHECK(contains(refused(folder, "file = \"b.csv\""),
                 "there is neither \"" + folder.path() + "/b.csv\" nor \"" + elsewhere.path() + "/b.csv\""));
  ::unsetenv("SOTTO_DATA");
}

TEST_CASE(
    "tf-idf: training samples decide, those held out change nothing; data.idf = own: every party's own") {
  const TemporaryFolder folder;
  // word 4 is only in the two documents at the end, which are held out
  const std::string counts = "10\n4\n";
  const std::string training =
      "1 1 2\n1 2 1\n2 1 1\n3 2 4\n4 1 1\n4 3 1\n5 1 1\n6 3 2\n6 1 1\n7 2 1\n8 1 1\n8 2 2\n";
  folder.write("docword.a", counts + "15\n" + training + "9 1 1\n9 4 3\n10 4 1\n");
  folder.write("docword.b", counts + "16\n" + training + "9 1 7\n9 2 1\n9 3 3\n10 3 1\n");
  const std::string settings = "\"\norder = \"file\"\nheld_out = 2\nscale = \"tf-idf\"\n";
  const TrialData a = Trial(read(folder, "file = \"docword.a" + settings), 0).data;
  const TrialData b = Trial(read(folder, "file = \"docword.b" + settings), 0).data;
  CHECK(dense(a.all) == dense(b.all));
  const auto weight = [](double n, double f) { return std::log((1 + n) / (1 + f)) + 1; };
  const double w1 = weight(8, 6), w2 = weight(8, 4), w4 = weight(8, 0);
  CHECK(a.parts[0].column(0)[0] == doctest::Approx(2 * w1 / std::hypot(2 * w1, w2)));
  CHECK(a.held_out.column(0)[3] == doctest::Approx(3 * w4 / std::hypot(w1, 3 * w4)));
  CHECK(a.held_out.column(1)[3] == 1);
  // party 0 has documents 1 and 2: word 1 is in both, word 2 in one
  const TrialData own = Trial(read(folder, "file = \"docword.a" + settings + "idf = \"own\"\n"), 0).data;
  const double o1 = weight(2, 2), o2 = weight(2, 1);
  CHECK(own.parts[0].column(0)[0] == doctest::Approx(2 * o1 / std::hypot(2 * o1, o2)));
  CHECK(dense(own.parts[0]) == dense(own.all.columns(0, 2)));
  CHECK(dense(own.held_out) == dense(a.held_out));
  CHECK(contains(refused(folder, "file = \"docword.a" + settings + "idf = \"all\"\n"), "data.idf"));
}

TEST_CASE("data file: the hash of a run follows the file's bytes") {
  const TemporaryFolder folder;
  folder.write("a.csv", numbered_csv(40));
  const std::string before = read(folder, "file = \"a.csv\"").hash();
  CHECK(read(folder, "file = \"a.csv\"").hash() == before);
  folder.write("a.csv", numbered_csv(41));
  CHECK(read(folder, "file = \"a.csv\"").hash() != before);
}

TEST_CASE("pictures: a folder of PGM, contact sheets of samples and basis") {
  const TemporaryFolder folder;
  for (int k = 0; k < 12; ++k)
    folder.write("faces/f" + std::to_string(10 + k) + ".pgm",
                 "P5 3 2 255\n" + std::string(6, static_cast<char>('a' + k)));
  const std::string more =
      "[output]\nimages = [1, 12]\n[[method]]\nname = \"local\"\nset = { \"algorithm.name\" = \"local\" }\n";
  const Experiment e = read(folder, "file = \"faces\"\nscale = \"unit-max\"", more);
  CHECK(e.data->image == ImageShape{3, 2});
  CHECK(e.data->samples.column(11)[0] == 1);
  ProcessRuntime workers(2);
  const auto files = output_files(e, run_experiment(workers, e).runs, {});
  std::set<std::string> names;
  for (const auto& [name, bytes] : files) {
    names.insert(name);
    if (name.ends_with(".png")) CHECK(bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  }
  for (const char* name :
       {"images-corrected.png", "basis-corrected.png", "images-local.png", "basis-local.png"})
    CHECK(names.contains(name));
  folder.write("faces/z.pgm", "P5 2 2 255\nabcd");
  CHECK(contains(refused(folder, "file = \"faces\""), "faces/z.pgm: is 2 x 2 pixels, but f10.pgm is 3 x 2"));
  std::filesystem::remove(folder.path() + "/faces/z.pgm");
  CHECK(contains(refused(folder, "file = \"faces\"\nimage = { width = 2, height = 3 }"),
                 "data.image: is 2 x 3, but samples have 6 features, 3 x 2"));
  folder.write("faces/f99.pgm.gz", gzip("P5 3 2 255\nabcdef"));
  CHECK(read(folder, "file = \"faces\"").shape.samples == 13);
  std::filesystem::create_directory(folder.path() + "/empty");
  CHECK(contains(refused(folder, "file = \"empty\""), "empty: is a folder without .pgm files"));
}

TEST_CASE("data file: right factors say which sample of the file each column is") {
  const TemporaryFolder folder;
  folder.write("a.csv", numbered_csv(40));
  const Experiment e = read(folder, "file = \"a.csv\"\nheld_out = 7", "[output]\nfactors = true\n");
  ProcessRuntime workers(1);
  const auto files = output_files(e, run_experiment(workers, e).runs, {});
  const TrialData data = Trial(e, 0).data;
  const auto text = std::find_if(files.begin(), files.end(), [](const auto& f) {
                      return f.first == "factors.csv";
                    })->second;
  CHECK(contains(text, "trial,method,agent,factor,row,column,value,sample\n"));
  // the first column of agent 1's right factor
  const std::size_t first = static_cast<std::size_t>(data.parts[0].cols());
  const std::size_t at = text.find("\n0,corrected,1,Y,0,0,") + 1;
  const std::string line = text.substr(at, text.find('\n', at) - at);
  CHECK(line.substr(line.rfind(',') + 1) == std::to_string(data.numbers[first] + 1));
}

TEST_CASE("metrics: an agent with nothing but zeros does not take the others' figures away") {
  const TemporaryFolder folder;
  folder.write("docword.x", "4\n3\n6\n1 1 2\n1 2 1\n2 1 1\n2 3 4\n3 2 2\n3 3 1\n");  // document 4 is empty
  const auto all = run_and_summarize(read(folder, "file = \"docword.x\"\norder = \"file\""));
  CHECK(all.front().figure("nmse").count == 1);
  CHECK(all.front().figure("nmse_mean_x").mean < 1);
}

TEST_CASE("pictures: an interrupted run draws none") {
  const TemporaryFolder folder;
  folder.write("a.pgm", "P5 8 1 255\nabcdefgh");
  const Experiment e = read(folder, "file = \"a.pgm\"\nimage = { width = 2, height = 1 }",
                            "[output]\nimages = [1]\nmetrics_every = 1000\n[[method]]\nname = \"local\"\nset "
                            "= { \"algorithm.name\" = "
                            "\"local\", \"algorithm.rank\" = 1 }\n");
  ProcessRuntime workers(1);
  const std::atomic<bool> now{true};
  MethodOptions options;
  options.interrupt = &now;
  CHECK(run_method(workers, Trial(e, 0), e.methods[1], options).interrupted);
}

TEST_CASE("sparse data: the same figures as the same numbers written out, in every method") {
  const TemporaryFolder folder;
  RandomStream random({9, 0, 0, "t"});
  std::string thin;
  std::string thick;
  int entries = 0;
  for (int s = 1; s <= 40; ++s) {
    for (int f = 1; f <= 8; ++f) {
      const int v = random.uniform() < 0.4 ? 1 + static_cast<int>(random.below(6)) : 0;
      if (v > 0)
        thin += std::to_string(s) + " " + std::to_string(f) + " " + std::to_string(v) + "\n", ++entries;
      thick += std::to_string(v) + (f < 8 ? "," : "\n");
    }
  }
  folder.write("docword.x", "40\n8\n" + std::to_string(entries) + "\n" + thin);
  folder.write("x.csv", thick);
  const std::string methods =
      "[[method]]\nname = \"local\"\nset = { \"algorithm.name\" = \"local\" }\n"
      "[[method]]\nname = \"centralized\"\nset = { \"algorithm.name\" = \"centralized\", "
      "\"algorithm.right_factor\" = \"admm\" }\n";
  const auto sparse = run_and_summarize(read(folder, "file = \"docword.x\"\nheld_out = 5", methods));
  const auto dense = run_and_summarize(read(folder, "file = \"x.csv\"\nheld_out = 5", methods));
  for (std::size_t m = 0; m < sparse.size(); ++m)
    for (const char* metric : {"nmse", "nmse_mean_x", "nmse_held_out", "consensus_error", "objective"})
      CHECK(sparse[m].figure(metric).mean == doctest::Approx(dense[m].figure(metric).mean).epsilon(1e-9));
}

TEST_CASE("parties: what one holds lies in memory of its own, dense or sparse") {
  const TemporaryFolder folder;
  folder.write("dense.csv", numbered_csv(40));
  std::string entries;
  for (int s = 1; s <= 8; ++s) entries += std::to_string(s) + " " + std::to_string(1 + s % 3) + " 1\n";
  folder.write("sparse.mtx", "%%MatrixMarket matrix coordinate real general\n8 3 8\n" + entries);
  for (const char* file : {"file = \"dense.csv\"", "file = \"sparse.mtx\""}) {
    const Experiment e = read(folder, file);
    const Trial trial(e, 0);
    std::set<const double*> seen;
    const auto add = [&](const Samples& samples) {
      std::size_t twice = 0;
      for (Index c = 0; c < samples.cols(); ++c)
        for (const double& value : samples.entries(c).values) twice += seen.insert(&value).second ? 0 : 1;
      return twice;
    };
    CHECK(add(trial.data.all) == 0);
    REQUIRE_FALSE(seen.empty());
    for (const PartyInput& party : trial.parties()) CHECK(add(party.samples) == 0);
  }
}

TEST_CASE("synthetic data: each source is what it says, and the same for the same stream") {
  for (const char* source : {"synthetic-nmf", "synthetic-ratings", "synthetic-regression", "synthetic-pca"}) {
    CAPTURE(source);
    DataOptions d;
    d.source = from_word<DataSource>(source);
    d.synthetic.features = 12;
    d.synthetic.rank = 3;
    d.synthetic.noise_variance = 1e-6;
    d.synthetic.density = 0.3;
    const auto draw = [&] {
      RandomStream random({1, 0, 0, "data"});
      return dense(synthetic_data(d, 500, random));
    };
    const Matrix Z = draw();
    CHECK(Z == draw());
    CHECK(Z.rows() == 12);
    CHECK(Z.cols() == 500);
    CHECK((Z.minCoeff() < -0.1) == synthetic_is_signed(d.source));
    if (d.source == DataSource::ratings) {
      for (const double v : Z.reshaped()) CHECK((v == 0 || (v >= 1 && v <= 5 && v == std::floor(v))));
      CHECK((Z.array() != 0).count() == doctest::Approx(0.3 * 12 * 500 + 0.7 * 500).epsilon(0.1));
      CHECK((Z.array() != 0).colwise().any().all());
      continue;
    }
    const Vector s = singular_values(Z);
    CHECK(s[3] < 0.1 * s[2]);  // rank 3 and a little noise
    if (d.source != DataSource::regression) continue;
    const Matrix inputs = Z.topRows(11).transpose();
    const Vector response = Z.row(11).transpose();
    const Vector w = least_squares(inputs, response);
    CHECK((inputs * w - response).norm() < 0.05 * response.norm());
  }
}
