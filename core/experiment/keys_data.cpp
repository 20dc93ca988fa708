// Keys of [data].
#include "core/experiment/key_builders.h"

namespace sotto {

namespace {

bool from_file(const Scenario& s) {
  return s.data.from_file();
}
bool synthetic(const Scenario& s) {
  return !s.data.from_file();
}
/// Sources whose key `name` is looked at.
Used sources(std::initializer_list<std::string_view> names) {
  return [list = std::vector<std::string_view>(names)](const Scenario& s) {
    return std::find(list.begin(), list.end(), s.data.source) != list.end();
  };
}

}  // namespace

void add_data_keys(std::vector<Key>& t) {
  t.push_back(choice(
      "data.source", {"synthetic-nmf", "synthetic-ratings", "synthetic-regression", "synthetic-pca", "file"},
      [](Scenario & s) -> auto& { return s.data.source; },
      "nmf: exponential factors and noise; ratings: 1 to 5, sparse; regression: the last feature depends on "
      "the others; "
      "pca: Gaussian, a decaying spectrum; all new in each trial; file: data.file"));
  t.push_back({"data.file", "a path, or a list of paths with one per agent",
               "matrix: .npy, CSV, Matrix Market, UCI docword, MovieLens (u.data, ratings.dat), PGM (a file "
               "or a folder), MNIST idx; each may "
               "be gzip; relative to "
               "the scenario's folder, then to $SOTTO_DATA",
               [](Scenario& s, const KeyValue& v) -> Problem {
                 const auto* one = std::get_if<std::string>(&v);
                 const auto* list = std::get_if<std::vector<std::string>>(&v);
                 s.data.files = one != nullptr    ? std::vector{*one}
                                : list != nullptr ? *list
                                                  : std::vector<std::string>{};
                 if (s.data.files.empty() || !std::all_of(s.data.files.begin(), s.data.files.end(), is_path))
                   return "must be a path, or a list of paths with one per agent";
                 s.data.source = "file";  // a file says it itself
                 return {};
               },
               [](const Scenario& s) -> std::optional<KeyValue> {
                 if (s.data.files.empty()) return {};
                 if (s.data.files.size() == 1) return s.data.files.front();
                 return s.data.files;
               },
               from_file});
  t.push_back(path_of_file(
      "data.vocabulary", "a path", "the words of a docword file, one a line",
      [](Scenario & s) -> auto& { return s.data.vocabulary; }, "a path", from_file));
  t.push_back(choice(
      "data.samples", {"rows", "columns"}, [](Scenario & s) -> auto& { return s.data.samples; },
      "how a matrix lies in its file (.npy, CSV, Matrix Market)", from_file));
  t.push_back(choice(
      "data.order", {"shuffled", "file"}, [](Scenario & s) -> auto& { return s.data.order; },
      "shuffled: each trial deals the samples of a file out anew; file: as they come, the last ones are held "
      "out",
      from_file));
  t.push_back(whole(
      "data.image.width", 0, 100'000, [](Scenario & s) -> auto& { return s.data.image_width; },
      "pixels, where samples are pictures: of each in a strip of PGM, and for output.images; 0: as the file "
      "says",
      from_file));
  t.push_back(whole(
      "data.image.height", 0, 100'000, [](Scenario & s) -> auto& { return s.data.image_height; }, "the same",
      from_file));
  t.push_back(choice(
      "data.scale", {"none", "unit-max", "lee-seung", "tf-idf"},
      [](Scenario & s) -> auto& { return s.data.scale; },
      "unit-max: the largest entry becomes 1; lee-seung: each sample to mean and deviation 1/4, clipped to "
      "0..1; tf-idf: "
      "rare words weigh more, samples have length 1; over all samples, before any is held out"));
  t.push_back(whole(
      "data.synthetic.samples", 1, 100'000'000,
      [](Scenario & s) -> auto& { return s.data.synthetic.samples; }, "samples over all agents", synthetic));
  t.push_back(whole(
      "data.synthetic.features", 1, 10'000'000,
      [](Scenario & s) -> auto& { return s.data.synthetic.features; }, "features of a sample", synthetic));
  t.push_back(whole(
      "data.synthetic.rank", 1, 100'000, [](Scenario & s) -> auto& { return s.data.synthetic.rank; },
      "rank of the data without its noise", synthetic));
  t.push_back(real(
      "data.synthetic.left_mean", 0, 1e6, true,
      [](Scenario & s) -> auto& { return s.data.synthetic.left_mean; },
      "mean of the left factor's exponential entries", sources({"synthetic-nmf"})));
  t.push_back(real(
      "data.synthetic.right_mean", 0, 1e6, true,
      [](Scenario & s) -> auto& { return s.data.synthetic.right_mean; },
      "mean of the right factor's exponential entries", sources({"synthetic-nmf"})));
  t.push_back(real(
      "data.synthetic.noise_variance", 0, 1e12, false,
      [](Scenario & s) -> auto& { return s.data.synthetic.noise_variance; }, "variance of the Gaussian noise",
      synthetic));
  t.push_back(real(
      "data.synthetic.density", 0, 1, true, [](Scenario & s) -> auto& { return s.data.synthetic.density; },
      "ratings: share of the items that a sample rates", sources({"synthetic-ratings"})));
  t.push_back(real(
      "data.synthetic.decay", 0, 1, true, [](Scenario & s) -> auto& { return s.data.synthetic.decay; },
      "pca, regression: each direction's deviation over the one before it",
      sources({"synthetic-pca", "synthetic-regression"})));
  const auto deals = [](const Scenario& s) { return !s.data.from_file() || s.data.files.size() < 2; };
  const auto kind = [deals](std::string_view name) {
    return [name, deals](const Scenario& s) { return deals(s) && s.data.split.kind == name; };
  };
  t.push_back(choice(
      "data.split.kind", {"even", "uniform", "sizes", "skewed"},
      [](Scenario & s) -> auto& { return s.data.split.kind; },
      "how samples are dealt out: even; uniform between min and max; given sizes; skewed as 1 / k^exponent; "
      "with a file per "
      "agent everybody keeps its own",
      deals));
  t.push_back(whole(
      "data.split.min", 1, 100'000'000, [](Scenario & s) -> auto& { return s.data.split.min; },
      "uniform, skewed: at least so many samples per agent",
      [](const Scenario& s) { return s.data.split.kind == "uniform" || s.data.split.kind == "skewed"; }));
  t.push_back(whole(
      "data.split.max", 0, 100'000'000, [](Scenario & s) -> auto& { return s.data.split.max; },
      "uniform: at most so many; 0: no bound", kind("uniform")));
  Key sizes = whole_list(
      "data.split.sizes", [](Scenario & s) -> auto& { return s.data.split.sizes; },
      "samples of each agent, in order; no kind is needed with it", kind("sizes"));
  sizes.read = [read = sizes.read](Scenario& s, const KeyValue& v) {
    if (s.data.split.kind == "even") s.data.split.kind = "sizes";  // sizes say it themselves
    return read(s, v);
  };
  sizes.write = [write = sizes.write](const Scenario& s) {
    return s.data.split.kind == "sizes" ? write(s) : std::nullopt;
  };
  t.push_back(std::move(sizes));
  t.push_back(real(
      "data.split.exponent", 0, 10, false, [](Scenario & s) -> auto& { return s.data.split.exponent; },
      "skewed: 0 is even", kind("skewed")));
  t.push_back(real(
      "data.held_out", 0, 1e8, false, [](Scenario & s) -> auto& { return s.data.held_out; },
      "samples that nobody trains on, a count or a share below 1: further ones (synthetic), or taken from "
      "the file"));
  t.push_back(real(
      "data.held_out_entries", 0, 0.9, false, [](Scenario & s) -> auto& { return s.data.held_out_entries; },
      "share of the entries of sparse data that nobody trains on, drawn anew in each trial; every sample "
      "keeps "
      "one at least"));
}

}  // namespace sotto
