// What a factorisation is for: figures of a finished run that a user of its topics or predictions would ask for, and what every
// party gained by taking part.
//   application.kind = "topics"   the Frobenius error on all training data, coherence and top terms, perplexity on samples held
//                                 out; a party's error is that of ITS topics on the samples held out. Where parties end
//                                 with topics of their own (`local`), means over parties, and no terms
//   application.kind = "ratings"  the root mean square error of predictions of entries held out, clipped to the range of the
//                                 ratings; a party's error is that of ITS items' factors on its own users' entries
//   application.kind = "lra"      low-rank approximation: |Z - X X' Z| on all training data; a party's error is that of ITS basis on
//                                 the samples held out
//   application.kind = "pcr"      regression of a response on coordinates in a party's basis, and a constant: of all samples
//                                 where the method fitted it (response_fit = "shared", centralized), else of the party's own; its
//                                 error is the root mean square error of predictions on the samples held out
//                                 Both: `subspace_error`, the sine of the largest angle between a party's basis and the leading
//                                 singular vectors of all data
// Uplift of a party: 100 (1 - error / error of its local model), with the method `local` in the same trial (paper 000, figure 4).
#pragma once

#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/measures/factor_errors.h"

namespace sotto {

struct ApplicationFigures {
  double frobenius = no_metric;
  double umass = no_metric;
  double npmi = no_metric;
  double perplexity = no_metric;
  double rmse = no_metric;
  double subspace_error = no_metric;
  std::vector<double> errors;                   ///< by agent
  std::vector<std::int64_t> samples;            ///< by agent
  std::vector<std::vector<std::string>> terms;  ///< by topic: words where there are any, else numbers from 1

  void save(Writer& w) const;
  static ApplicationFigures load(Reader& r);
};

/// `words`: of the features, where there are any. Nothing where the scenario has no application.
ApplicationFigures evaluate_application(const Scenario& scenario, const std::vector<FactorView>& views,
                                        const TrialData& data, const std::vector<std::string>& words);

/// By agent; empty where one of the two has no errors.
std::vector<double> uplift_percent(const ApplicationFigures& its, const ApplicationFigures& local);

}  // namespace sotto
