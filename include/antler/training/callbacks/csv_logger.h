#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of CSVLogger.
struct CSVLoggerOptions {
  std::string filename = {};    ///< replaced unless `append`
  std::string separator = ",";  ///< one character
  bool append = false;          ///< keep the lines of an existing file; it gets no second header
};

/// Writes the logs of each epoch as a line of a CSV file (Keras's CSVLogger): `epoch`, then the
/// names in alphabetical order, line ends CR LF, "NA" for a missing value. Names starting with
/// `val_` get columns even if the first epoch has no validation. With several workers, only the
/// chief writes; if it is lost, the next chief continues the file. Throws ValueError for a
/// separator that is not one character, NotFoundError if the file's folder does not exist, IOError
/// if the file cannot be written.
class CSVLogger : public Callback {
 public:
  explicit CSVLogger(const CSVLoggerOptions& options);
  // A template, because g++ would also convert options in braces to a string.
  template <StringLike S>
  explicit CSVLogger(const S& filename, CSVLoggerOptions options = {})
      : CSVLogger(by_position<&CSVLoggerOptions::filename>("CSVLogger", std::move(options),
                                                           std::string(filename))) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(CSVLogger, CSVLoggerOptions, std::string)

  static constexpr const char* kName = "CSVLogger";
  static CSVLogger from_config(const Json& config);

  void on_train_begin(const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  void take_over(std::optional<int64_t> ended, const Logs& logs) override;

 private:
  /// Whether this process is the chief.
  bool writes() const;
  /// Opens the file to append to it, or to write a new one.
  void open(bool append);
  /// The cells as a line of the file.
  std::string line_of(const std::vector<std::string>& cells) const;
  /// Appends the last row, after the header if the file is empty.
  void write_row();

  CSVLoggerOptions options_;
  std::vector<std::string> keys_;
  std::vector<std::string> row_;         ///< of the last epoch
  bool header_ = true;                   ///< whether the header must be written before the next row
  std::shared_ptr<std::ofstream> file_;  ///< of the chief; shared: callbacks are passed by value
};

}  // namespace antler::callbacks
