// SPDX-License-Identifier: MIT
// The tags of all protocols, so that two protocols of one agent never read each other's messages.
#pragma once

#include "network/runtime/message.h"

namespace sotto::tags {

inline constexpr Tag public_key = 1;
inline constexpr Tag exchange_request = 2;
inline constexpr Tag exchange_reply = 3;
inline constexpr Tag max_consensus = 4;
inline constexpr Tag neighborhood_keys = 5;
inline constexpr Tag tree_distance = 6;
inline constexpr Tag tree_parent = 7;
inline constexpr Tag sum_key = 8;  ///< of a secure sum, from here on
inline constexpr Tag sum_up = 9;
inline constexpr Tag sum_down = 10;
inline constexpr Tag sum_share = 11;
inline constexpr Tag broadcast = 12;
inline constexpr Tag deal_request = 13;  ///< to a dealer, and what it deals
inline constexpr Tag deal_seed = 14;
inline constexpr Tag deal_shares = 15;
inline constexpr Tag product_key = 16;  ///< products of two parties' numbers
inline constexpr Tag product_request = 17;
inline constexpr Tag product_reply = 18;
inline constexpr Tag gossip_degree = 19;  ///< averages by gossip, and what they carry
inline constexpr Tag gossip_value = 20;

}  // namespace sotto::tags
