#include "base/throw_again.h"

#include <typeinfo>

namespace antler {
namespace {

template <class... Classes>
void throw_as_one_of(const Error& error, const std::string& text) {
  const auto try_class = [&]<class E>() {
    if (typeid(error) == typeid(E)) throw E(text);
  };
  (try_class.template operator()<Classes>(), ...);
}

}  // namespace

void throw_again(const Error& error, const std::string& text) {
  throw_as_one_of<ValueError, TypeError, RuntimeError, NotImplementedError, KeyError,
                  AttributeError, IndexError, IOError, NotFoundError, OutOfRangeError,
                  InternalError, Error>(error, text);
  throw;
}

std::string with_sentence(std::string text, const std::string& sentence) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text + ' ' + sentence;
}

}  // namespace antler
