#include "input/data_arguments.h"

#include "command_line/command.h"

namespace antler::cli {

const char* const kDataHelp =
    "An .npz, a pair x.npy,y.npy, a .csv, a .tfrecord, a folder with MNIST's IDX files, a folder "
    "or tar archive with a folder of images or text files per class, or the name of a data set, "
    "for example mnist (see `antler list datasets`)";

void DataArguments::apply_to(DataOptions& options) const {
  options.target = target;
  options.task = task;
  options.window = window;
  options.horizon = horizon;
}

CLI::Option* add_data_arguments(CLI::App& command, DataArguments& arguments,
                                const std::string& help) {
  CLI::Option* data = command.add_option("data", arguments.path, help);
  command.add_option("--target", arguments.target,
                     "Column of a .csv to predict (default: the last), or feature of a .tfrecord "
                     "(default: label)");
  command
      .add_option("--task", arguments.task,
                  "Whether targets are classes or quantities; default: strings and the integers 0, "
                  "1, ... are classes")
      ->check(CLI::IsMember({"auto", "classification", "regression"}));
  command
      .add_option("--window", arguments.window,
                  "For a table in chronological order: predict from the numbers of this many rows")
      ->check(positive_integer());
  command
      .add_option("--horizon", arguments.horizon,
                  "How many rows after the window the target is (default: 1)")
      ->check(positive_integer());
  add_threads(command, arguments.threads);
  return data;
}

}  // namespace antler::cli
