# SPDX-License-Identifier: MIT
# Writes OUT as a header with the commit that is being built; left alone where nothing changed.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=40 --exclude=* OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define SOTTO_COMMIT \"\@commit\@\"\n" @ONLY)
