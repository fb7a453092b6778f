#include "antler/data/shuffle.h"

#include <string>

#include "antler/base/error.h"

namespace antler {

ShuffleSpec::ShuffleSpec(const char* text) : value_(Shuffle::batch) {
  if (std::string(text) != "batch") {
    throw ValueError("`shuffle` must be true, false or \"batch\". Received: \"" +
                     std::string(text) + "\".");
  }
}

}  // namespace antler
