#pragma once

#include <filesystem>

namespace antler::test {

/// Files that ship with the tests.
std::filesystem::path data_dir();

/// Large references that do not ship with the sources; a test that needs them skips where they are
/// absent.
std::filesystem::path shared_dir();

}  // namespace antler::test
