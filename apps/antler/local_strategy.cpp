#include "training_strategy.h"

namespace antler::cli {

bool is_worker() { return false; }
distribute::Strategy training_strategy() { return distribute::get_strategy(); }

}  // namespace antler::cli
