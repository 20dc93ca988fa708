// One direction of a connection between neighbors.
#pragma once

namespace sotto {

struct Link {
  double latency = 5e-3;        ///< seconds
  double bandwidth = 10e6 / 8;  ///< bytes per second, each direction (full duplex)

  double transmission_seconds(double bytes) const { return bytes / bandwidth; }
};

}  // namespace sotto
