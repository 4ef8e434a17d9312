# docs/readme: the program in README.md, its first cpp block, compiles and prints what the block
# behind it shows.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)

# cut(<variable> <from> <begin> <end>): what stands between the first `begin` and the next `end`;
# `from`, a variable too, loses all up to there.
function(cut variable from begin end)
  string(FIND "${${from}}" "${begin}" at)
  string(LENGTH "${begin}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${${from}}" ${at} -1 rest)
  string(FIND "${rest}" "${end}" at)
  string(SUBSTRING "${rest}" 0 ${at} found)
  string(LENGTH "${end}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${rest}" ${at} -1 rest)
  set(${variable} "${found}" PARENT_SCOPE)
  set(${from} "${rest}" PARENT_SCOPE)
endfunction()

file(READ ${PROJECT_SOURCE_DIR}/README.md text)
cut(program text "```cpp\n" "```\n")
cut(printed text "```\n" "```\n")
file(CONFIGURE OUTPUT readme.cpp CONTENT "${program}" @ONLY)
file(CONFIGURE OUTPUT readme.txt CONTENT "${printed}" @ONLY)

add_executable(readme readme.cpp)
target_link_libraries(readme PRIVATE tapehead::tapehead tapehead_options)
add_test(NAME docs/readme COMMAND sh -c "\"$0\" >readme.out && diff readme.txt readme.out"
                                  $<TARGET_FILE:readme>)
set_tests_properties(docs/readme PROPERTIES LABELS docs)
