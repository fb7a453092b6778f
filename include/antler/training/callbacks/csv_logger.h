#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "antler/training/callback.h"

namespace antler::callbacks {

struct CSVLoggerOptions {
  std::string filename = {};
  std::string separator = ",";
  bool append = false;  ///< keep the lines of an existing file; it gets no second header
};

/// Writes the logs of each epoch as a line of a CSV file (Keras's CSVLogger): `epoch`, then the
/// names in alphabetical order, line ends CR LF, "NA" for a missing value. Names starting with
/// `val_` get columns even if the first epoch has no validation. Throws ValueError for a separator
/// that is not one character, IOError if the file cannot be written.
class CSVLogger : public Callback {
 public:
  explicit CSVLogger(const std::string& filename, CSVLoggerOptions options = {});
  explicit CSVLogger(const CSVLoggerOptions& options) : CSVLogger(options.filename, options) {}

  static constexpr const char* kName = "CSVLogger";
  static CSVLogger from_config(const Json& config);

  bool chief_only() const override { return true; }
  void on_train_begin(const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_train_end(const Logs& logs) override;

 private:
  void write_row(const std::vector<std::string>& cells);

  CSVLoggerOptions options_;
  bool header_ = true;
  std::vector<std::string> keys_;
  std::shared_ptr<std::ofstream> file_;  // shared: callbacks are passed by value
};

}  // namespace antler::callbacks
