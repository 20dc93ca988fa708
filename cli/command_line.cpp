// SPDX-License-Identifier: MIT
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/say.h"

namespace sotto {

namespace {

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

/// CLI11 takes -1 for the largest number of an unsigned type.
std::string check_not_negative(const std::string& text) {
  return text.starts_with('-') ? fmt::format("{} is negative", text) : "";
}

}  // namespace

CommandLine CommandLine::add_command(const std::string& name, const std::string& help) const {
  app_->require_subcommand(1);
  return {*app_->add_subcommand(name, help), *chosen_};
}

void CommandLine::add_option(const std::string& name, OptionValue value, const std::string& help,
                             const OptionRules& rules) const {
  CLI::Option* option = std::visit(
      [&]<class T>(T* place) {
        if constexpr (std::is_same_v<T, bool>) return app_->add_flag(name, *place, help);
        CLI::Option* added = app_->add_option(name, *place, help);
        if constexpr (is_list<T>)
          if (name.starts_with('-') && rules.repeated_as.empty()) added->delimiter(',');
        if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) added->check(check_not_negative);
        return added;
      },
      value);
  if (rules.limits) option->check(CLI::Range(rules.limits->smallest, rules.limits->largest));
  if (!rules.allowed.empty()) option->check(CLI::IsMember(rules.allowed));
  if (rules.required || !name.starts_with('-')) option->required();
  if (!rules.repeated_as.empty()) option->type_name(rules.repeated_as)->allow_extra_args(false);
  if (!rules.needs.empty()) option->needs(app_->get_option(rules.needs));
  if (!rules.excludes.empty()) option->excludes(app_->get_option(rules.excludes));
}

void CommandLine::set_action(Action action) const {
  app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

std::string CommandLine::name() const {
  return app_->get_name();
}

std::string CommandLine::help() const {
  return app_->get_description();
}

std::vector<CommandLine> CommandLine::commands() const {
  std::vector<CommandLine> all;
  for (CLI::App* command : app_->get_subcommands([](CLI::App* c) { return !c->get_name().empty(); }))
    all.emplace_back(*command, *chosen_);
  return all;
}

std::vector<OptionFacts> CommandLine::options() const {
  std::vector<OptionFacts> all;
  for (const CLI::Option* o : app_->get_options()) {
    OptionFacts facts;
    if (!o->get_lnames().empty()) facts.name = "--" + o->get_lnames().front();
    const bool takes_value = o->get_items_expected_max() > 0;
    facts.value = facts.name.empty() ? o->get_name() : takes_value ? o->get_type_name() : "";
    facts.help = o->get_description();
    all.push_back(std::move(facts));
  }
  return all;
}

Program::Program(const std::string& help, const std::string& version)
    : app_(std::make_unique<CLI::App>(help)) {
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

Action Program::parse(int argc, char** argv, int& code) {
  code = bad_input;
  const auto called = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app_->get_subcommands(called).empty()) {
    say(fmt::format("sotto: there is no command '{}': see sotto --help\n", argv[1]));
    return {};
  }
  try {
    app_->parse(argc, argv);
    return chosen_;
  } catch (const CLI::ParseError& e) {
    if (app_->exit(e) == 0) code = done;
    return {};
  }
}

}  // namespace sotto
