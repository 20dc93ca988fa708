// A scenario, parsed and validated: one experiment, written down. `read_scenario` (scenario_reader.h) makes
// one from a file; the table of keys (keys.h) says what each field is called, what it may be and what it
// means.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/operation.h"
#include "network/time/link.h"
#include "network/time/timeline.h"
#include "network/topology/generators.h"

namespace sotto {

struct TopologySettings {
  std::string generator = "random";
  std::string file;  ///< instead of a generator
  GeneratorOptions shape;
};

struct LinkSettings {
  double latency_ms = 5;
  double bandwidth_mbit = 10;
  double loss = 0;
  std::string duplex = "full";

  /// For every edge; `attributes`, by Topology::edge_list, say what is different there, empty: nothing.
  LinkModel model(const std::vector<LinkAttributes>& attributes) const;
};

struct CostSettings {
  std::string preset = "reference";
  std::map<Operation, double> seconds;  ///< overrides of the preset
  double speed = 1;
  std::vector<double> speeds;      ///< one per agent, instead of `speed`
  std::vector<std::int64_t> slow;  ///< these agents run at `slow_factor`
  double slow_factor = 1;

  CostTable table(std::size_t agents) const;
  /// Of a place that holds everybody's data: stragglers are none of its business.
  CostTable table_of_center() const;
};

struct DataSettings {
  std::string source = "synthetic-nmf";
  std::string samples = "rows";
  std::string scale = "none";
  std::vector<std::string> files;  ///< source = "file": one, or one per agent
  std::string vocabulary;          ///< a word a line
  std::string order = "shuffled";
  std::int64_t image_width = 0;
  std::int64_t image_height = 0;
  struct {
    std::int64_t samples = 200;
    std::int64_t features = 30;
    std::int64_t rank = 5;
    double left_mean = 0.033;
    double right_mean = 0.8;
    double noise_variance = 3.6e-4;
    double density = 0.1;
    double decay = 0.7;
  } synthetic;
  struct Split {
    std::string kind = "even";
    std::int64_t min = 1;
    std::int64_t max = 0;  ///< 0: no bound
    std::vector<std::int64_t> sizes;
    double exponent = 1;
  } split;
  double held_out = 0;          ///< a count, or a share below 1
  double held_out_entries = 0;  ///< a share

  bool from_file() const { return source == "file"; }
};

/// How much data a trial has.
struct DataShape {
  std::int64_t features = 0;
  std::int64_t samples = 0;  ///< that agents hold
  std::int64_t held_out = 0;

  /// Synthetic data: held-out samples come on top.
  static DataShape of_synthetic(const DataSettings& settings);
  /// Files: they are taken away.
  static DataShape of_file(const DataSettings& settings, std::int64_t features, std::int64_t samples);
};

struct AlgorithmSettings {
  std::string name = "ppdnmf";
  std::int64_t rank = 5;
  std::string variant = "corrected";
  std::string left_factor = "split";
  std::string right_factor = "hals";
  std::int64_t outer_iterations = 201;
  std::int64_t inner_iterations = 1;
  std::int64_t right_iterations = 0;  ///< 0: 5 sweeps of HALS (50 the first time), 30 iterations of ADMM
  bool scale_free = false;            ///< penalty = "scale-free"
  double penalty = 0.1;
  double penalty_factor = 0.1;
  double mu = 0.01;
  double eta = 1;
  std::string acceleration = "inertial";
  std::string initialization = "random";
  double initialization_scale = 1;
  bool stops = true;  ///< false: stop = "never"
  double tolerance = 3e-3;
  std::int64_t dwell = 5;
  // RRI-NMF: pd-nmf, wr-nmf, and centralized and local with solver = "rri"
  std::string solver = "bcd";
  double alpha = 0;
  double beta = 0;
  double gamma = 0;
  double delta = 0;
  std::string topics = "free";
  std::string weights = "all";
  std::int64_t local_iterations = 100;  ///< of a party's own model: initializations, wr-nmf
  // pd-svd, pd-pca
  std::string sums = "normed";
  bool norm_bound_from_sum = true;  ///< norm_bound = "sum"
  double norm_bound = 1;            ///< public, of |X' X|
  std::string response_fit = "shared";
};

struct ExchangeSettings {
  std::string scheme = "plain";
  std::string privacy = "published";
  double quantization = 10000;
  double max_abs = 64;
  std::int64_t penalty_bits = 16;
  std::string keys = "djn";
  std::int64_t key_bits = 2048;
  std::string seal_engine = "auto";
};

struct SecureSumSettings {
  std::string kind = "edge-masks";
  std::int64_t fraction_bits = 40;
  std::int64_t ring_bits = 64;    ///< of an element: 64 or 128
  std::int64_t output_bits = 20;  ///< normalized sums: f
  std::string offline = "dealer";
  std::int64_t norm_bound_bits = 10;
};

struct ApplicationSettings {
  std::string kind = "none";
  std::int64_t response = 0;  ///< pcr: the feature to predict, from 1; 0: the last
  std::int64_t top_terms = 10;
};

struct OutputSettings {
  bool factors = false;
  std::int64_t metrics_every = 1;
  std::int64_t checkpoint_every = 0;
  bool transcript = false;
  std::vector<std::int64_t> images;  ///< numbers of samples, from 1
  bool events = true;
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  std::int64_t trials = 1;
  std::string entropy = "seed";
  TopologySettings topology;
  LinkSettings link;
  CostSettings cost;
  DataSettings data;
  AlgorithmSettings algorithm;
  ExchangeSettings exchange;
  SecureSumSettings secure_sum;
  ApplicationSettings application;
  OutputSettings output;

  /// The main algorithm's name among the methods: its variant where it has one, else its name.
  std::string method_name() const;
};

/// Something that runs in every trial, on the same data and initialisation.
struct Method {
  std::string name;
  Scenario settings;
};

}  // namespace sotto
