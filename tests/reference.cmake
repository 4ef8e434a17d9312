# docs/reference.md is what docs/reference.cpp prints.
add_executable(reference ${PROJECT_SOURCE_DIR}/docs/reference.cpp)
target_link_libraries(reference PRIVATE tapehead::autograd tapehead_options)
target_compile_definitions(reference PRIVATE TAPEHEAD_SOURCE="${PROJECT_SOURCE_DIR}")
add_test(NAME docs/reference_page
         COMMAND sh -c "\"$0\" | diff \"$1\" -" $<TARGET_FILE:reference>
                 ${PROJECT_SOURCE_DIR}/docs/reference.md)
set_tests_properties(docs/reference_page PROPERTIES LABELS docs)
