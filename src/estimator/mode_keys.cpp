#include "antler/estimator/mode_keys.h"

namespace antler::estimator {

std::string mode_name(ModeKeys mode) {
  switch (mode) {
    case ModeKeys::train:
      return "train";
    case ModeKeys::eval:
      return "eval";
    case ModeKeys::predict:
      break;
  }
  return "infer";
}

}  // namespace antler::estimator
