# The library of kernels over columns (src/library) as LLVM bitcode, for pointers of 64 and of 32 bits.
#
# Natively its sources are compiled with the core. Here clang-22 makes bitcode of each, once for x86-64
# and once for wasm32, whose layouts stand for all targets with such pointers; all of a kind are linked
# into one module, and numeric functions, which are long, into one of their own, of which the code generator takes the functions that a kernel calls
# (src/codegen/library). As in the math library there are no target features, no metadata but of
# selects that nobody foresees, and no attributes with values: what the kernel's own functions say
# holds for them. Nothing may be called that is not here, which is checked. A build that names another (GJ_MADE) takes its bitcode.
# Products that are added to something in one expression are marked in numeric functions: they become
# fused multiply-adds where a target has those and code is not strict.

find_program(GJ_LLVM_LINK NAMES llvm-link-22 llvm-link HINTS "${llvm_bin}" REQUIRED)

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS src/library/*.c)
list(FILTER library_sources EXCLUDE REGEX "/library/(table|numeric)\\.c$")
set(numeric_sources ${library_sources})
list(FILTER numeric_sources INCLUDE REGEX "/library/(matrices|spectral|fourier|forests)/")
list(REMOVE_ITEM library_sources ${numeric_sources})
# Vectors are written out in them, and what compilers make of the rest of a loop is half of their code.
# Inlined functions pass vectors that not every processor has registers for; gcc says so each time.
set_source_files_properties(${numeric_sources} PROPERTIES COMPILE_OPTIONS
  "$<IF:$<C_COMPILER_ID:GNU>,-Wno-psabi,-fno-vectorize;-fno-slp-vectorize;-fno-unroll-loops>")
set(library_dir "${made_dir}/library")
file(MAKE_DIRECTORY "${library_dir}/parts")

set(library_flags ${math_flags} -ffreestanding -fvisibility=hidden)
list(FILTER library_flags EXCLUDE REGEX "^--target=")
set(library_files "")

# The module `name`_`bits` of some sources, for which `target` stands.
function(gj_library_module name bits target contract)
  set(module "${library_dir}/${name}_${bits}")
  set(parts "")
  foreach(source ${ARGN})
    get_filename_component(name "${source}" NAME_WE)
    set(part "${library_dir}/parts/${name}_${bits}")
    add_custom_command(
      OUTPUT "${part}.bc"
      COMMAND "${GJ_CLANG}" "--target=${target}" ${library_flags} -ffp-contract=${contract}
        -MD -MF "${part}.d" -MT "${part}.bc" -c -emit-llvm "${source}" -o "${part}.bc"
      DEPENDS "${source}" "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
      DEPFILE "${part}.d"
      COMMENT "Library bitcode ${name}, ${bits} bits"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND parts "${part}.bc")
  endforeach()
  add_custom_command(
    OUTPUT "${module}.bc"
    COMMAND "${GJ_LLVM_LINK}" -S ${parts} -o "${module}.raw.ll"
    COMMAND sed -E -e "/^attributes/s/ \"[^\"]+\"(=\"[^\"]*\")?//g" -e "s/!unpredictable ![0-9]+/!unpredictable !{}/g"
      -e "s/, ![A-Za-z_.]+ ![0-9]+//g" -e "/^!/d"
      -e "/^source_filename/d" -e "/@llvm.experimental.noalias.scope.decl/d" "${module}.raw.ll" > "${module}.ll"
    COMMAND "${CMAKE_COMMAND}" "-DTEXT=${module}.ll" -P "${CMAKE_CURRENT_SOURCE_DIR}/scripts/cmake/library_check.cmake"
    COMMAND "${GJ_LLVM_AS}" "${module}.ll" -o "${module}.bc"
    DEPENDS ${parts} "${CMAKE_CURRENT_SOURCE_DIR}/scripts/cmake/library_check.cmake"
    COMMENT "Library bitcode, ${module}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Each as src/library/table.h declares it.
set(library_data "")
foreach(bits 64 32)
  set(target $<IF:$<EQUAL:${bits},64>,x86_64-unknown-linux-gnu,wasm32-unknown-unknown>)
  if(NOT GJ_MADE)
    gj_library_module(library ${bits} ${target} off ${library_sources})
    gj_library_module(numeric ${bits} ${target} on ${numeric_sources})
  endif()
  foreach(name library numeric)
    set(label "gj_${name}_${bits}")
    list(APPEND library_files "${library_dir}/${name}_${bits}.bc")
    string(APPEND library_data
      "  .balign 16\n  .globl ${label}_begin\n  .hidden ${label}_begin\n  .globl ${label}_end\n  .hidden ${label}_end\n"
      "${label}_begin:\n  .incbin \"${library_dir}/${name}_${bits}.bc\"\n${label}_end:\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT library_bitcode.S @ONLY CONTENT
"  .section .rodata
@library_data@
  .section .note.GNU-stack, \"\", %progbits
")
add_library(gj_library STATIC "${CMAKE_CURRENT_BINARY_DIR}/library_bitcode.S")
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/library_bitcode.S" PROPERTIES
  OBJECT_DEPENDS "${library_files}")

# Numeric functions natively, twice more than with the core, under names of their own
# (src/library/numeric.h).
foreach(variant wide fused)
  add_library(gj_numeric_${variant} STATIC ${numeric_sources} src/library/numeric.c)
  target_link_libraries(gj_numeric_${variant} PRIVATE gj_options)
  target_compile_definitions(gj_numeric_${variant} PRIVATE GJL_SUFFIX=_${variant})
  target_compile_options(gj_numeric_${variant} PRIVATE
    -O2 -fno-math-errno -fno-trapping-math -fno-strict-aliasing)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(gj_numeric_${variant} PRIVATE -march=x86-64-v3)
  endif()
  target_link_libraries(gj_library INTERFACE gj_numeric_${variant})
endforeach()
set_target_properties(gj_numeric_fused PROPERTIES GJ_FUSES ON)
# What clang calls `on` is `fast` to gcc, which has nothing between that and `off`.
target_compile_options(gj_numeric_fused PRIVATE
  -ffp-contract=$<IF:$<C_COMPILER_ID:GNU>,fast,on>)
