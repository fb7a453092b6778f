#pragma once

#include <filesystem>

namespace antler::test {

/// Files that ship with the tests.
std::filesystem::path data_dir();

/// Large reference files that do not ship with the sources. A test that needs them is skipped if
/// they are absent.
std::filesystem::path shared_dir();

}  // namespace antler::test
