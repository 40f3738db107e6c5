# SPDX-License-Identifier: GPL-2.0-only
# Rules and flags for building pmcctl or parts of it. The including makefile sets $(out), and
# $(tools_src) to this folder.
PKG_CONFIG ?= pkg-config

# JSON; netlink; names of addresses; the record file's checksums
tools_packages := json-c libnl-genl-3.0 libdw libelf zlib

TOOLS_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags $(tools_packages)) -I$(out)
# Only the demangler of libstdc++ is used, so it is linked statically.
TOOLS_LIBS ?= $(shell $(PKG_CONFIG) --libs $(tools_packages)) -lm \
	      -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic

# The built-in formulas and groups, and the script of the flame graph as C strings
generated := $(out)/formulas.h $(out)/flame-graph.js.h

group_files := $(addprefix $(tools_src)/groups/,processors branches caches floating-point pipeline \
		 system tlbs topdown)
$(out)/formulas.h: $(tools_src)/formulas $(group_files) | $(out)
$(out)/flame-graph.js.h: $(tools_src)/report/flame-graph.js | $(out)
$(generated):
	sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $^ > $@

tools_objects ?= $(out)
$(tools_objects)/report/flame-graph.o: $(out)/flame-graph.js.h
$(tools_objects)/util/formula-files.o: $(out)/formulas.h
