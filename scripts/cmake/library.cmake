# The library of kernels over columns (src/library) as LLVM bitcode, for pointers of 64 and of 32 bits.
#
# Natively its sources are compiled with the core. Here clang-22 makes bitcode of each, once for x86-64
# and once for wasm32, whose layouts stand for all targets with such pointers; all of a kind are linked
# into one module, of which the code generator takes the functions that a kernel calls
# (src/codegen/library). As in the math library there are no target features, no metadata and no
# attributes with values: what the kernel's own functions say holds for them. Nothing may be called
# that is not here, which is checked. A build that names another (GJ_MADE) takes its bitcode.

find_program(GJ_LLVM_LINK NAMES llvm-link-22 llvm-link HINTS "${llvm_bin}" REQUIRED)

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS src/library/*.c)
list(FILTER library_sources EXCLUDE REGEX "/library/table\\.c$")
set(library_dir "${made_dir}/library")
file(MAKE_DIRECTORY "${library_dir}")

set(library_flags ${math_flags} -ffreestanding -fvisibility=hidden)
list(FILTER library_flags EXCLUDE REGEX "^--target=")
set(library_files "")

# The module `bits`, for which `target` stands.
function(gj_library_module bits target)
  set(module "${library_dir}/library_${bits}")
  set(parts "")
  foreach(source ${library_sources})
    get_filename_component(name "${source}" NAME_WE)
    set(part "${library_dir}/${name}_${bits}")
    add_custom_command(
      OUTPUT "${part}.bc"
      COMMAND "${GJ_CLANG}" "--target=${target}" ${library_flags}
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
    COMMAND sed -E -e "/^attributes/s/ \"[^\"]+\"(=\"[^\"]*\")?//g" -e "s/, ![A-Za-z_.]+ ![0-9]+//g" -e "/^!/d"
      -e "/^source_filename/d" -e "/@llvm.experimental.noalias.scope.decl/d" "${module}.raw.ll" > "${module}.ll"
    COMMAND "${CMAKE_COMMAND}" "-DTEXT=${module}.ll" -P "${CMAKE_CURRENT_SOURCE_DIR}/scripts/cmake/library_check.cmake"
    COMMAND "${GJ_LLVM_AS}" "${module}.ll" -o "${module}.bc"
    DEPENDS ${parts} "${CMAKE_CURRENT_SOURCE_DIR}/scripts/cmake/library_check.cmake"
    COMMENT "Library bitcode, ${bits} bits"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

foreach(bits 64 32)
  if(NOT GJ_MADE)
    gj_library_module(${bits} $<IF:$<EQUAL:${bits},64>,x86_64-unknown-linux-gnu,wasm32-unknown-unknown>)
  endif()
  list(APPEND library_files "${library_dir}/library_${bits}.bc")
endforeach()

# As src/library/table.h declares it.
set(library_data "")
foreach(bits 64 32)
  string(APPEND library_data
    "  .balign 16\n  .globl gj_library_${bits}_begin\n  .hidden gj_library_${bits}_begin\n"
    "  .globl gj_library_${bits}_end\n  .hidden gj_library_${bits}_end\n"
    "gj_library_${bits}_begin:\n  .incbin \"${library_dir}/library_${bits}.bc\"\ngj_library_${bits}_end:\n")
endforeach()
file(CONFIGURE OUTPUT library_bitcode.S @ONLY CONTENT
"  .section .rodata
@library_data@
  .section .note.GNU-stack, \"\", %progbits
")
add_library(gj_library STATIC "${CMAKE_CURRENT_BINARY_DIR}/library_bitcode.S")
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/library_bitcode.S" PROPERTIES
  OBJECT_DEPENDS "${library_files}")
