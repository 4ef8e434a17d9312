# cmake -D UNIT=x.cpp -D "TESTS=a_test.cpp;b_test.cpp" -P test_unit.cmake: test files as one file to
# compile, each in a namespace of its own, so that their helpers may have the same names. What they
# include stands in front, outside of the namespaces; in its place it is then skipped.

set(includes "")
set(bodies "")
foreach(test ${TESTS})
  get_filename_component(folder ${test} DIRECTORY)
  get_filename_component(name ${test} NAME_WE)
  file(STRINGS ${test} lines REGEX "^#include ")
  foreach(line ${lines})
    if(line MATCHES "\"(.*)\"")
      get_filename_component(header ${CMAKE_MATCH_1} ABSOLUTE BASE_DIR ${folder})
      set(line "#include \"${header}\"")
    endif()
    list(APPEND includes "${line}")
  endforeach()
  string(APPEND bodies "namespace ${name} {\n#include \"${test}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE ${UNIT} "${includes}\n${bodies}")
