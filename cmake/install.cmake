# Installing: headers under include/assay with the tree as it is, the static libraries, the program, and the files that
# give another project's find_package(assay) the target assay::assay: everything.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY ASSAY_LIBRARIES)
get_property(folders GLOBAL PROPERTY ASSAY_FOLDERS)
list(REMOVE_ITEM folders ${PROJECT_SOURCE_DIR}/harness/cli)

add_library(assay_everything INTERFACE)
add_library(assay::assay ALIAS assay_everything)
set_target_properties(assay_everything PROPERTIES EXPORT_NAME assay)
target_link_libraries(assay_everything INTERFACE ${libraries})

install(TARGETS assay_everything ${libraries} EXPORT assay)
if(TARGET assay)
  install(TARGETS assay)
endif()
install(DIRECTORY ${folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay
  FILES_MATCHING PATTERN "*.h" PATTERN detail EXCLUDE PATTERN cli EXCLUDE PATTERN sdk EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
install(EXPORT assay NAMESPACE assay:: FILE assayTargets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/assayConfig.cmake ${PROJECT_BINARY_DIR}/assayConfigVersion.cmake
  DESTINATION ${package_dir})
