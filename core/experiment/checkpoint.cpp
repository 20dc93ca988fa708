// SPDX-License-Identifier: MIT
#include "core/experiment/checkpoint.h"

namespace sotto {

namespace {

constexpr std::string_view magic = "sotto checkpoint 3";

}  // namespace

void Observation::save(Writer& w) const {
  w.put(iteration);
  w.put(round);
  figures.save(w);
}

Observation Observation::load(Reader& r) {
  Observation o;
  o.iteration = r.get<std::uint64_t>();
  o.round = r.get<std::uint64_t>();
  o.figures = Observed::load(r);
  return o;
}

void save_transcript(const std::vector<std::vector<Message>>& transcript, Writer& w) {
  w.put<std::uint64_t>(transcript.size());
  for (const auto& messages : transcript) {
    w.put<std::uint64_t>(messages.size());
    for (const Message& m : messages) {
      w.put(m.from);
      w.put(m.to);
      w.put(m.tag);
      w.block(m.bytes);
    }
  }
}

std::vector<std::vector<Message>> load_transcript(Reader& r) {
  std::vector<std::vector<Message>> transcript;
  for (auto agents = r.get<std::uint64_t>(); agents > 0; --agents) {
    auto& messages = transcript.emplace_back();
    for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
      Message& m = messages.emplace_back();
      m.from = r.get<AgentId>();
      m.to = r.get<AgentId>();
      m.tag = r.get<Tag>();
      const auto bytes = r.block();
      m.bytes.assign(bytes.begin(), bytes.end());
    }
  }
  return transcript;
}

Bytes Checkpoint::save() const {
  Writer w;
  w.text(magic);
  w.put(iteration);
  w.put<std::uint64_t>(states.size());
  for (const Bytes& s : states) w.block(s);
  log.save(w);
  w.put<std::uint64_t>(observations.size());
  for (const Observation& o : observations) o.save(w);
  save_transcript(transcript, w);
  return w.take();
}

Checkpoint Checkpoint::load(std::span<const std::uint8_t> bytes) {
  Reader r(bytes);
  if (r.text() != magic) throw FormatError("these bytes are not a checkpoint of this version");
  Checkpoint c;
  c.iteration = r.get<std::uint64_t>();
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    const auto state = r.block();
    c.states.emplace_back(state.begin(), state.end());
  }
  c.log = EventLog::load(r);
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) c.observations.push_back(Observation::load(r));
  c.transcript = load_transcript(r);
  r.finish();
  return c;
}

}  // namespace sotto
