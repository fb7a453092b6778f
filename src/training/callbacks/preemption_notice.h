#pragma once

namespace antler::callbacks {

/// While one lives, SIGTERM is noted instead of taking its effect.
class PreemptionNotice {
 public:
  PreemptionNotice();
  /// Passes on a signal that came.
  ~PreemptionNotice();
  PreemptionNotice(const PreemptionNotice&) = delete;
  PreemptionNotice& operator=(const PreemptionNotice&) = delete;

  bool came() const;
  /// If the signal came: gives it the effect that it had before, which may end the process.
  void pass_on();
};

}  // namespace antler::callbacks
