# The C tests: every test/c/<name>_test.c is a program of its own with a main, all of which are linked
# into one (test/c/driver.h says why); test/<name>_test in the build folder is a link to it.
#
# The measurements of the math library's accuracy stay apart: each has other variants of its functions.

file(GLOB test_sources CONFIGURE_DEPENDS test/c/*_test.c)
set(test_mains "")
set(test_rows "")
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/test")
foreach(source ${test_sources})
  get_filename_component(name "${source}" NAME_WE)
  set_source_files_properties("${source}" PROPERTIES COMPILE_DEFINITIONS "main=${name}_main")
  string(APPEND test_mains "int ${name}_main(int argc, char **argv);\n")
  string(APPEND test_rows "    {\"${name}\", ${name}_main},\n")
  file(CREATE_LINK tests "${CMAKE_CURRENT_BINARY_DIR}/test/${name}" SYMBOLIC)
endforeach()
file(CONFIGURE OUTPUT tests.c @ONLY CONTENT "#include \"driver.h\"
@test_mains@
static const driver_test all[] = {
@test_rows@    {NULL, NULL}};

int main(int argc, char **argv) { return driver_run(all, argc, argv); }
")
add_executable(tests ${test_sources} "${CMAKE_CURRENT_BINARY_DIR}/tests.c")
set_target_properties(tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY test)
target_include_directories(tests PRIVATE test/c)
target_link_libraries(tests PRIVATE gjcore m)

foreach(name math_accuracy math_accuracy_fma math_accuracy_fast)
  add_executable(${name} "test/c/${name}.c")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY test)
  target_include_directories(${name} PRIVATE test/c)
  target_link_libraries(${name} PRIVATE gjcore m mpfr gmp)
endforeach()
target_sources(math_accuracy_fma PRIVATE ${math_sources})
target_compile_definitions(math_accuracy_fma PRIVATE GJ_MATH_FMA=1)
# Fast functions stand before the accurate ones of the same name, whose slow parts they use.
target_sources(math_accuracy_fast PRIVATE ${math_fast_sources} ${math_sources})
target_compile_definitions(math_accuracy_fast PRIVATE GJ_MATH_FMA=1)
target_link_options(math_accuracy_fast PRIVATE -Wl,--allow-multiple-definition)

add_executable(math_speed test/bench/math_speed.c)
target_link_libraries(math_speed PRIVATE gjcore m ${CMAKE_DL_LIBS})
