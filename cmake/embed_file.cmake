# cmake -DINPUT=<file> -DOUTPUT=<file.cpp> -DNAME=<function> -DNAMESPACE=<namespace> -DHEADER=<header> -P embed_file.cmake
# Writes a C++ function that returns the bytes of a file; the header declares it.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

const unsigned char k_${NAME}[] = {
${bytes}};

}  // namespace

std::string_view ${NAME}() { return {reinterpret_cast<const char*>(k_${NAME}), sizeof k_${NAME}}; }

}  // namespace ${NAMESPACE}
")
