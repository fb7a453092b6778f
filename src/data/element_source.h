#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "antler/data/data_source.h"
#include "antler/data/fit_data.h"

namespace antler::data {

/// A DataSource whose elements are batches: [x, y, sample_weight], [x, y], [x] or x. Converts
/// float64 to the default dtype and multiplies class weights into the sample weights.
class ElementSource : public DataSource {
 public:
  bool peek(Nest& specs) override;
  bool fill(std::span<void* const> buffers) override;
  bool fill_or_lend(std::span<void*> batch) override;
  int64_t signature() override;
  int64_t batch_rows() override;

 protected:
  explicit ElementSource(const SourceOptions& options) : class_weight_(options.class_weight) {}
  /// Stores the next element of the pass; false at the end and later.
  virtual bool next_element(Nest& element) = 0;
  /// Drops a batch that was fetched but not delivered.
  void drop_batch();

 private:
  /// Fetches a batch unless there is one already. False at the end.
  bool fetch();

  std::map<int64_t, double> class_weight_;
  bool has_batch_ = false;
  Nest batch_;  ///< [x, y, sample_weight]
  Tensors leaves_;
  Tensors lent_;  ///< the leaves of the last batch that was lent
  int64_t rows_ = 0;
  int64_t signature_ = 0;           ///< of batch_ or of the last batch
  int64_t reported_ = -1;           ///< the last reported signature; the caller's buffers match it
  std::vector<std::string> specs_;  ///< indexed by signature
};

}  // namespace antler::data
