# How the libraries are installed, so that find_package(tapehead) finds them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TAPEHEAD_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tapehead)

# One library, and its folder's headers under include/tapehead; those in folders below are private.
function(tapehead_install_library name)
  install(TARGETS tapehead_${name} EXPORT tapehead ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tapehead/${name})
endfunction()

# What all libraries share: the umbrella, the export, the config and version files.
function(tapehead_install)
  install(TARGETS tapehead_tapehead EXPORT tapehead)
  install(FILES ${PROJECT_SOURCE_DIR}/tapehead.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tapehead)
  install(EXPORT tapehead NAMESPACE tapehead:: FILE tapehead-targets.cmake
          DESTINATION ${TAPEHEAD_CMAKE_DIR})

  get_property(packages GLOBAL PROPERTY TAPEHEAD_DEPENDENCIES)
  list(REMOVE_DUPLICATES packages)
  set(TAPEHEAD_FIND_DEPENDENCIES "")
  foreach(package ${packages})
    string(APPEND TAPEHEAD_FIND_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/tapehead-config.cmake.in
    ${PROJECT_BINARY_DIR}/tapehead-config.cmake INSTALL_DESTINATION ${TAPEHEAD_CMAKE_DIR})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tapehead-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tapehead-config.cmake
                ${PROJECT_BINARY_DIR}/tapehead-config-version.cmake
          DESTINATION ${TAPEHEAD_CMAKE_DIR})
  if(TARGET tapehead)
    install(TARGETS tapehead RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()
