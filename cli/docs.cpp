// SPDX-License-Identifier: MIT
// `sotto docs PAGE`: the pages of docs/ that follow from the program's own tables, in Markdown. tools/update-docs writes them,
// and a test compares them (tests/cli/docs.sh).
#include "cli/commands.h"
#include "cli/program_facts.h"
#include "cli/setting_rows.h"
#include "core/measures/application.h"
#include "core/results/output_files.h"
#include "core/sweep/sweep_export.h"

namespace sotto {

namespace {

std::string settings_page() {
  std::string text =
      "# Settings of a scenario file\nPrinted by `sotto docs settings`. [guide.md](guide.md) describes the "
      "syntax; "
      "[glossary.md](glossary.md) the words. `sotto validate FILE --resolved` prints every setting with the "
      "value in "
      "force.\n";
  const auto table_of = [](const Setting& s) {
    const std::size_t dot = s.path.find('.');
    return dot == std::string::npos ? std::string() : s.path.substr(0, dot);
  };
  const Schema& all = scenario_settings().all();
  for (std::size_t k = 0; k < all.size();) {
    const std::string table = table_of(all[k]);
    Schema rows;
    for (; k < all.size() && table_of(all[k]) == table; ++k) rows.push_back(all[k]);
    text += fmt::format("\n## {}\n{}", table.empty() ? "Outside any table" : "[" + table + "]",
                        setting_rows(rows));
  }
  return text;
}

std::string commands_page(const CommandLine& program) {
  std::string text =
      "# Commands\nPrinted by `sotto docs commands`. `sotto COMMAND --help` says the same; `sotto man` "
      "prints it as a man "
      "page.\n";
  each_command(program, [&](const std::string& name, const CommandLine& command) {
    text += fmt::format("\n## sotto {}{}\n{}\n", name, words_of(command), command.help());
    std::string rows;
    for (const OptionFacts& o : command.options())
      if (o.name != "--help")
        rows += fmt::format("| `{}` | {} |\n",
                            o.name.empty()    ? o.value
                            : o.value.empty() ? o.name
                                              : o.name + " " + o.value,
                            o.help);
    if (!rows.empty()) text += "\n| option | meaning |\n|---|---|\n" + rows;
  });
  text += "\n## Exit codes\n| code | meaning |\n|---|---|\n";
  for (const ExitFact& e : exit_facts)
    text += fmt::format("| {} | {} |\n", static_cast<int>(e.code), e.meaning);
  text += "\n## Environment\n| variable | meaning |\n|---|---|\n";
  for (const EnvironmentFact& e : environment_facts)
    text += fmt::format("| `{}` | {} |\n", e.name, e.meaning);
  return text;
}

std::string figure_rows(const std::vector<const Figure*>& figures) {
  std::string text = "| figure | unit | better | meaning |\n|---|---|---|---|\n";
  for (const Figure* f : figures)
    text += fmt::format("| `{}` | {} | {} | {} |\n", f->name, f->unit,
                        f->better == Better::lower    ? "lower"
                        : f->better == Better::higher ? "higher"
                                                      : "",
                        markdown_cell(f->help));
  return text;
}

std::vector<const Figure*> figures_of(const std::vector<RunFigure>& all) {
  std::vector<const Figure*> figures;
  for (const RunFigure& f : all) figures.push_back(f.figure);
  return figures;
}

std::string outputs_page() {
  std::string text =
      "# Output files\nPrinted by `sotto docs outputs`. [guide.md](guide.md) says how to read the "
      "figures.\n\n"
      "## Files of a run\n`runs/NAME-HASH`, or what `--out` names. HASH is the hash of the resolved "
      "scenario.\n\n"
      "| file | holds |\n|---|---|\n";
  for (const OutputFile& file : output_file_table())
    text += fmt::format("| `{}` | {} |\n", file.name, markdown_cell(file.help));
  text +=
      "| `images-METHOD.png`, `basis-METHOD.png` | with output.images: samples above their reconstructions "
      "by the mean "
      "left factor, and that factor, in the first trial |\n"
      "| `checkpoint/` | what a run that was interrupted continues from; removed when the run is complete "
      "|\n";
  text += "\n## Files of a sweep\n| file | holds |\n|---|---|\n";
  for (const SweepFile& file : sweep_files)
    text += fmt::format("| `{}` | {} |\n", file.name, markdown_cell(file.help));
  text += "\n## Columns before the figures\n";
  for (const OutputFile& file : output_file_table()) {
    if (file.columns.empty()) continue;
    text += fmt::format("\n### {}\n| column | meaning |\n|---|---|\n", file.name);
    for (const Column& c : file.columns)
      text += fmt::format("| `{}` | {} |\n", c.name, markdown_cell(c.help));
  }
  text +=
      "\n## Figures of the trace\nIn `trace.csv`, `agents.csv` and `curves.csv` at every observed iteration; "
      "in "
      "`final.csv`, `sweep.csv` and `summary.json` at the end.\n\n" +
      figure_rows(figures_of(observed_figures()));
  text +=
      "\n## Figures against a baseline\nPaired by trial; empty where the scenario has no such baseline.\n\n" +
      figure_rows({&gap.figure, &uplift.figure});
  text += "\n## Costs\n`messages`, `bytes` and `sim_seconds` are in the trace too.\n\n" +
          figure_rows(figures_of(cost_figures()));
  text += "\n## Figures of applications\n";
  for (const ApplicationKind* kind : applications())
    text += fmt::format("\n### application.kind = \"{}\"\n{}\n\n{}", kind->name, kind->help,
                        figure_rows({kind->figures.begin(), kind->figures.end()}));
  return text;
}

void add_docs(const CommandLine& program) {
  auto page = std::make_shared<std::string>();
  const CommandLine command = program.add_command("docs", "print a reference page in Markdown");
  command.add_option("PAGE", page.get(), "settings, commands or outputs",
                     {.allowed = {"settings", "commands", "outputs"}});
  command.set_action([page, program]() -> int {
    fmt::print("{}", *page == "settings"   ? settings_page()
                     : *page == "commands" ? commands_page(program)
                                           : outputs_page());
    return done;
  });
}

const CommandRegistration docs_command({95, add_docs});

}  // namespace

}  // namespace sotto
