// A shared library that is not a plug-in.
extern "C" int antler_test_answer() { return 42; }
