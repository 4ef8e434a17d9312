# core/old_cpu: the kernels' tests on a CPU that has no AVX, which one portable binary must run on.
# Without an emulator the test is skipped, and says so.
find_program(TAPEHEAD_QEMU qemu-x86_64)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  if(TAPEHEAD_QEMU)
    set(old_cpu ${TAPEHEAD_QEMU} -cpu Nehalem $<TARGET_FILE:test_core>
                "--test-case=attention and*,attention takes*,softmax and log_softmax*,TAPEHEAD_ISA*")
  else()
    set(old_cpu ${CMAKE_COMMAND} -E echo "skipped: no qemu-x86_64; install qemu-user")
  endif()
  add_test(NAME core/old_cpu COMMAND ${old_cpu})
  set_tests_properties(core/old_cpu PROPERTIES LABELS core SKIP_REGULAR_EXPRESSION "^skipped: ")
endif()
