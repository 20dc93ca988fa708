// SPDX-License-Identifier: MIT
// Shell completion and the man page, from the program's own table of commands and options: they cannot differ from it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/program_facts.h"
#include "core/experiment/settings.h"
#include "core/experiment/versions.h"

namespace sotto {

namespace {

std::string names_in(const CommandLine& program) {
  std::vector<std::string> names;
  for (const CommandLine& c : program.commands()) names.push_back(c.name());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string setting_names() {
  std::vector<std::string> names;
  for (const Setting& setting : scenario_settings().all()) names.push_back(setting.path);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_script(const CommandLine& program) {
  std::string cases;
  each_command(program, [&](const std::string& name, const CommandLine& command) {
    std::vector<std::string> options;
    for (const OptionFacts& o : command.options())
      if (!o.name.empty()) options.push_back(o.name);
    cases += fmt::format("    \"{}\") options=\"{}\" ;;\n", name, fmt::join(options, " "));
  });
  std::string groups;
  std::vector<std::string> group_names;
  for (const CommandLine& c : program.commands())
    if (!c.commands().empty()) {
      group_names.push_back(c.name());
      groups += fmt::format("    \"{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n", c.name(),
                            names_in(c));
    }
  return fmt::format(R"(# bash completion of sotto: source it, or put it where bash-completion looks
_sotto() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command="" options="" word k
  COMPREPLY=()
  for ((k = 1; k < COMP_CWORD; k++)); do
    word=${{COMP_WORDS[k]}}
    case $word in
    -*) break ;;
    *) command="${{command:+$command }}$word" ;;
    esac
    case $command in {}) ;; *) break ;; esac
  done
  case $command in
    "") COMPREPLY=($(compgen -W "{} --help --version" -- "$cur")); return ;;
{}  esac
  if [[ $prev == --set ]]; then
    COMPREPLY=($(compgen -S = -W "{}" -- "$cur"))
    compopt -o nospace 2>/dev/null
    return
  fi
  case $command in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _sotto sotto
)",
                     fmt::join(group_names, " | "), names_in(program), groups, setting_names(), cases);
}

std::string zsh_quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      quoted += fmt::format("\\{}", c);
    else
      quoted += c;
  }
  return quoted;
}

std::string zsh_script(const CommandLine& program) {
  std::string list;
  for (const CommandLine& c : program.commands())
    list += fmt::format("    '{}:{}'\n", c.name(), zsh_quoted(c.help()));
  std::string cases;
  each_command(program, [&](const std::string& name, const CommandLine& command) {
    cases += fmt::format("    '{}')\n      _arguments", name);
    for (const OptionFacts& o : command.options()) {
      if (o.name.empty())
        cases += " \\\n        '*:file:_files'";
      else if (o.name == "--set")
        cases += fmt::format(" \\\n        '*--set[{}]:key:_sotto_settings'", zsh_quoted(o.help));
      else
        cases += fmt::format(" \\\n        '{}[{}]{}'", o.name, zsh_quoted(o.help),
                             o.value.empty() ? "" : ":value:_files");
    }
    cases += "\n      ;;\n";
  });
  std::string groups;
  for (const CommandLine& c : program.commands())
    if (!c.commands().empty())
      groups += fmt::format(
          "    {})\n      if (( CURRENT == 3 )); then compadd {}; return; fi\n      command=\"$words[2] "
          "$words[3]\"; shift words; "
          "(( CURRENT-- ))\n      ;;\n",
          c.name(), names_in(c));
  return fmt::format(R"(#compdef sotto
_sotto_settings() {{
  compadd -S = -- {}
}}
_sotto() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- --help --version
    return
  fi
  local command=$words[2]
  case $command in
{}  esac
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_sotto "$@"
)",
                     setting_names(), list, groups, cases);
}

std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '-' || c == '\\') safe += '\\';
    safe += c == '\\' ? 'e' : c;
  }
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string man_page(const CommandLine& program) {
  std::string commands;
  each_command(program, [&](const std::string& name, const CommandLine& command) {
    std::string words;
    for (const OptionFacts& o : command.options())
      if (o.name.empty()) words += " \\fI" + roff(o.value) + "\\fR";
    commands += fmt::format(".SS sotto {}{}\n{}\n", roff(name), words, roff(command.help()));
    for (const OptionFacts& o : command.options()) {
      if (o.name == "--help") continue;
      commands += o.name.empty()
                      ? fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(o.value), roff(o.help))
                      : fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(o.name),
                                    o.value.empty() ? "" : " \\fI" + roff(o.value) + "\\fR", roff(o.help));
    }
  });
  std::string exit_status, environment;
  for (const ExitFact& e : exit_facts)
    exit_status += fmt::format(".TP\n{}\n{}\n", static_cast<int>(e.code), roff(e.meaning));
  for (const EnvironmentFact& e : environment_facts)
    environment += fmt::format(".TP\n{}\n{}\n", e.name, roff(e.meaning));
  return fmt::format(R"(.TH SOTTO 1 "" "sotto {}" "User Commands"
.SH NAME
sotto \- privacy\-preserving decentralized matrix factorization, simulated
.SH SYNOPSIS
.B sotto
.I command
[\fIoptions\fR]
.SH DESCRIPTION
Parties on an ad\-hoc graph factorize a matrix together without showing each other their data.
One scenario file gives convergence, bytes on the wire, simulated time and what leaked, in files that are the same to the
byte on every rerun, measured time aside.
.SH COMMANDS
{}.SH EXIT STATUS
{}.SH ENVIRONMENT
{}.SH FILES
.TP
runs/
output folders, unless \-\-out names another
.SH EXAMPLES
.nf
sotto run scenarios/ppdnmf\-synthetic.toml \-\-trials 20
sotto sweep scenarios/sweep\-quantization.toml \-\-jobs 2
sotto compare runs/*
.fi
)",
                     roff(sotto_version()), commands, exit_status, environment);
}

void add_completion(const CommandLine& program) {
  auto shell = std::make_shared<std::string>();
  const CommandLine completion =
      program.add_command("completion", "print the script that completes commands in a shell");
  completion.add_option("SHELL", shell.get(), "bash or zsh", {.allowed = {"bash", "zsh"}});
  completion.set_action([shell, program]() -> int {
    fmt::print("{}", *shell == "bash" ? bash_script(program) : zsh_script(program));
    return done;
  });
  const CommandLine man = program.add_command("man", "print the man page (roff)");
  man.set_action([program]() -> int {
    fmt::print("{}", man_page(program));
    return done;
  });
}

const CommandRegistration completion_command({100, add_completion});

}  // namespace

}  // namespace sotto
