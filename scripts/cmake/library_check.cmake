# Refuses a library (TEXT, LLVM IR) that calls anything outside of itself: a kernel has no C library.
file(STRINGS "${TEXT}" declared REGEX "^declare |^@.* external ")
list(FILTER declared EXCLUDE REGEX "@llvm\\.")
if(declared)
  list(JOIN declared "\n  " lines)
  message(FATAL_ERROR "src/library may not use what is not in it:\n  ${lines}")
endif()
