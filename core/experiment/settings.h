// SPDX-License-Identifier: MIT
// The list of all sections of a scenario file: which schema belongs to which table. Everything else loops over its rows.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include "core/scenario/setting_table.h"

namespace sotto {

/// Put together at the first call: algorithms and applications must have been added by then.
const SettingTable& scenario_settings();

}  // namespace sotto
