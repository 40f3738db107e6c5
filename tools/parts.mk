# SPDX-License-Identifier: GPL-2.0-only
# What pmcctl is made with, for those who build it or its parts: they set $(out),
# and $(tools_src), this folder.
PKG_CONFIG ?= pkg-config

# JSON; netlink; names of addresses; the record file's checksums
tools_packages := json-c libnl-genl-3.0 libdw libelf zlib

TOOLS_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags $(tools_packages)) -I$(out)
# Of libstdc++ only the function that makes the names of C++ readable
TOOLS_LIBS ?= $(shell $(PKG_CONFIG) --libs $(tools_packages)) -lm \
	      -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic

# The built-in formulas and the flame graph's script as texts of C
generated := $(out)/formulas.h $(out)/flame-graph.js.h

$(out)/formulas.h: $(tools_src)/formulas | $(out)
$(out)/flame-graph.js.h: $(tools_src)/report/flame-graph.js | $(out)
$(generated):
	sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< > $@

tools_objects ?= $(out)
$(tools_objects)/report/flame-graph.o: $(out)/flame-graph.js.h
$(tools_objects)/util/formula-files.o: $(out)/formulas.h
