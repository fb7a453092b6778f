#include "pjrt/plugin_device.h"

#include <cstdlib>

namespace antler::test {

void OnDevice::SetUp() {
  if (std::getenv("ANTLER_PJRT_CPU") == nullptr)
    GTEST_SKIP() << "ANTLER_PJRT_CPU does not name a plug-in";
  config::set_device("pjrt:cpu");
}

}  // namespace antler::test
