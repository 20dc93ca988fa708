// The tags of all protocols, so that two protocols of one agent never read each other's messages.
#pragma once

#include "network/message.h"

namespace sotto::tags {

inline constexpr Tag public_key = 1;
inline constexpr Tag exchange_request = 2;
inline constexpr Tag exchange_reply = 3;
inline constexpr Tag max_consensus = 4;
inline constexpr Tag neighborhood_keys = 5;

}  // namespace sotto::tags
