// SPDX-License-Identifier: MIT
// What one setting cannot tell: that the settings of a scenario fit each other, the data and the graph. ScenarioError at the
// place of the setting to change. The rooms check what is theirs; here they are asked.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include "core/experiment/experiment.h"

namespace sotto {

/// What all methods share.
void check_trial(const Experiment& experiment, const SettingPlaces& places);
/// Algorithm, protocols and application of one method.
void check_method(const Experiment& experiment, const OptionSet& options, const SettingPlaces& places);
/// That the graph allows what the method needs.
void check_graph(const GraphCheck& check);

}  // namespace sotto
