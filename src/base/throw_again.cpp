#include "base/throw_again.h"

#include <typeinfo>

namespace antler {
namespace {

template <class... Classes>
void throw_as_one_of(const Error& error, const std::string& message) {
  const auto try_class = [&]<class E>() {
    if (typeid(error) == typeid(E)) throw E(message);
  };
  (try_class.template operator()<Classes>(), ...);
}

}  // namespace

void throw_again(const Error& error, const std::string& message) {
  throw_as_one_of<ValueError, TypeError, RuntimeError, NotImplementedError, KeyError,
                  AttributeError, IndexError, IOError, NotFoundError, OutOfRangeError,
                  InternalError, AbortedError, UnavailableError, DeadlineExceededError,
                  CancelledError, ResourceExhaustedError, Error>(error, message);
  throw;
}

std::string with_sentence(std::string message, const std::string& sentence) {
  if (!message.empty() && message.back() != '.') message += '.';
  return message + ' ' + sentence;
}

}  // namespace antler
