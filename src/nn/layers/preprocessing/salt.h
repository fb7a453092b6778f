#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/hash.h"
#include "antler/nn/optional_list.h"
#include "nn/fields.h"

/// The option `salt` of layers that hash tokens.
namespace antler {

/// "salt" of a configuration: a number, a list of two, or null. Throws ValueError for other lists.
struct SaltField {
  std::vector<int64_t>& value;
};
inline void write_field(Json& out, const SaltField& field) {
  out = field.value.empty() ? Json(nullptr) : Json(field.value);
}
inline void read_field(const Json& in, SaltField& field) {
  field.value.clear();
  if (in.is_null()) return;
  if (in.is_array() && in.size() != 2) {
    throw ValueError(
        "`salt` can only be a list of 2 integers, or a single integer. Received: salt={}",
        in.dump());
  }
  read_field(in, field.value);
}

/// The two numbers of a salt; a single number counts for both; {} without a salt. Throws ValueError
/// for more than two.
inline IntegerList checked_salt(const char* layer, IntegerList salt) {
  if (salt.size() > 2) {
    throw ValueError(
        "The `salt` argument for `{}` can only be a tuple of size 2 integers, or a single integer. "
        "Received: {} numbers.",
        layer, salt.size());
  }
  if (salt.size() == 1) salt.push_back(salt[0]);
  return salt;
}

/// FarmHash, or SipHash with a salt.
inline uint64_t salted_hash(const std::string& string, const std::vector<int64_t>& salt) {
  if (salt.empty()) return fingerprint64(string);
  return sip_hash(string, static_cast<uint64_t>(salt[0]), static_cast<uint64_t>(salt[1]));
}

}  // namespace antler
