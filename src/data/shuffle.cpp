#include "antler/data/shuffle.h"

#include <string_view>

#include "antler/base/error.h"

namespace antler {

ShuffleSpec::ShuffleSpec(const char* mode) : value_(Shuffle::batch) {
  if (std::string_view(mode) != "batch") {
    throw ValueError("`shuffle` must be true, false or \"batch\". Received: \"{}\".", mode);
  }
}

}  // namespace antler
