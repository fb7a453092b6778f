#include "support/paths.h"

namespace antler::test {

std::filesystem::path data_dir() { return ANTLER_TEST_DATA_DIR; }

std::filesystem::path shared_dir() { return ANTLER_SHARED_DIR; }

}  // namespace antler::test
