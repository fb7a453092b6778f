#include "io/hdf5_handle.h"

namespace antler::io::hdf5 {
namespace {

std::recursive_mutex& mutex() {
  static std::recursive_mutex instance;
  return instance;
}

herr_t keep_description(unsigned, const H5E_error2_t* error, void* description) {
  if (error->desc != nullptr) *static_cast<std::string*>(description) = error->desc;
  return 0;
}

/// A little-endian float of two bytes: a sign, `exponent` bits, and the mantissa.
Handle two_byte_float(size_t exponent, size_t bias) {
  Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  const size_t mantissa = 15 - exponent;
  H5Tset_fields(type.get(), 15, mantissa, exponent, 0, mantissa);
  H5Tset_size(type.get(), 2);
  H5Tset_ebias(type.get(), bias);
  return type;
}

Handle boolean() {
  Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  const signed char no = 0;
  const signed char yes = 1;
  H5Tenum_insert(type.get(), "FALSE", &no);
  H5Tenum_insert(type.get(), "TRUE", &yes);
  return type;
}

Handle copy_of(hid_t type) { return Handle(H5Tcopy(type), H5Tclose); }

}  // namespace

Session::Session() : lock_(mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }

std::string Session::reason() {
  std::string description = "unknown error";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_description, &description);
  return description;
}

Handle file_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return copy_of(H5T_IEEE_F32LE);
    case DType::float64:
      return copy_of(H5T_IEEE_F64LE);
    case DType::bfloat16:
      return two_byte_float(8, 127);
    case DType::float16:
      return two_byte_float(5, 15);
    case DType::int8:
      return copy_of(H5T_STD_I8LE);
    case DType::int16:
      return copy_of(H5T_STD_I16LE);
    case DType::int32:
      return copy_of(H5T_STD_I32LE);
    case DType::int64:
      return copy_of(H5T_STD_I64LE);
    case DType::uint8:
      return copy_of(H5T_STD_U8LE);
    case DType::uint16:
      return copy_of(H5T_STD_U16LE);
    case DType::uint32:
      return copy_of(H5T_STD_U32LE);
    case DType::uint64:
      return copy_of(H5T_STD_U64LE);
    case DType::boolean:
      break;
  }
  return boolean();
}

}  // namespace antler::io::hdf5
