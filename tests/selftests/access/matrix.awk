# SPDX-License-Identifier: GPL-2.0-only
#
# Extracts the table of docs/safety.md, "What each process may count": a line for each of its rows,
# and a list of the first cells,
#
#   ROW(a_name_of_the_row, "the first cell", { 1 for "yes" or 0 for "no" of each other cell });
#   #define ROWS "the first cell", ...

/^## / { inside = $0 == "## What each process may count" }

inside && /^\|/ && ++line > 2 {
	cells = split($0, cell, / *\| */)
	name = cell[2]
	gsub(/[^A-Za-z0-9]+/, "_", name)
	list = ""
	for (i = 3; i < cells; i++)
		list = list (cell[i] == "yes" ? "1, " : cell[i] == "no" ? "0, " : cell[i] ", ")
	print "ROW(" name ", \"" cell[2] "\", { " list "});"
	rows = rows " \"" cell[2] "\","
}

END { print "#define ROWS" rows }
