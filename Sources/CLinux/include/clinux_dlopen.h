/// Notes in the program that name the libraries that it opens late, because its dynamic section names only linked ones.
///
/// Packagers' tools read them to find dependencies: https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
#ifndef CLINUX_DLOPEN_H
#define CLINUX_DLOPEN_H

#include <stdint.h>

/// Defines a note. `priority` is "required", "recommended" or "suggested". All parameters but the first are string literals.
#define CLINUX_DLOPEN_NOTE(variable, library, priority, feature, description) \
  CLINUX_DLOPEN_JSON( \
      variable, "[{\"feature\":\"" feature "\",\"description\":\"" description "\",\"priority\":\"" priority \
                "\",\"soname\":[\"" library "\"]}]")

#define CLINUX_DLOPEN_JSON(variable, json) \
  __attribute__((used, section(".note.dlopen"), aligned(4))) static const struct { \
    uint32_t owner_size, content_size, type; \
    char owner[4]; \
    __attribute__((aligned(4))) char content[sizeof(json)]; \
  } variable = {4, sizeof(json), 0x407c0c0a, "FDO", json}

#endif
