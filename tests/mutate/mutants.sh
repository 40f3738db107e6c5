# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Lists, chooses and applies mutants. spatch applies the rules, rules/*.cocci, to one line at a
# time. Sourced by mutate, which runs in the top folder.

# split_diff RULE: from a diff without context, one mutant a line, with tabs:
# FILE LINE LINES RULE OLD NEW. LINES is how many lines are replaced; in OLD and NEW lines are
# separated by the character 1, and tabs are the character 2.
split_diff() {
	awk -v rule="$1" '
	BEGIN { OFS = "\t" }
	function mutant(line, lines, old, new) {
		gsub(/\t/, "\002", old)
		gsub(/\t/, "\002", new)
		if (old != new)
			print file, line, lines, rule, old, new
	}
	# Spatch replaces neighbouring lines at once; where their number stays, each is a mutant.
	function flush(i, all_old, all_new) {
		if (n_old == n_new)
			for (i = 0; i < n_old; i++)
				mutant(start + i, 1, old[i], new[i])
		else if (n_old) {
			for (i = 0; i < n_old; i++)
				all_old = all_old (i ? "\001" : "") old[i]
			for (i = 0; i < n_new; i++)
				all_new = all_new (i ? "\001" : "") new[i]
			mutant(start, n_old, all_old, all_new)
		}
		n_old = n_new = 0
	}
	/^--- / { flush(); file = $2; next }
	/^\+\+\+ / || /^diff / { next }
	/^@@ / { flush(); start = -$2; next }
	/^-/ { old[n_old++] = substr($0, 2) }
	/^\+/ { new[n_new++] = substr($0, 2) }
	END { flush() }'
}

# list_mutants FILE...: print all mutants; of equal lines of a file only one for each rule
list_mutants() {
	local rule name
	for rule in tests/mutate/rules/*.cocci; do
		name=$(basename "$rule" .cocci)
		spatch --iso-file /dev/null --no-includes --very-quiet -U 0 --sp-file "$rule" "$@" \
			2>"$out/spatch.log" | split_diff "$name" || {
			cat "$out/spatch.log" >&2
			return 1
		}
	done | sort -u -t "$(printf '\t')" -k 1,1 -k 4,6
}

# choose N SEED: reads mutants and prints N of them, the same for the same seed, equally
# many of each file
choose() {
	awk -v seed="$2" 'BEGIN { FS = OFS = "\t"; srand(seed) } { print rand(), $0 }' |
		sort -t "$(printf '\t')" -k 2,2 -k 1,1n |
		awk 'BEGIN { FS = OFS = "\t" } { print ++rank[$2], $0 }' |
		sort -t "$(printf '\t')" -k 1,1n -k 2,2n | cut -f 3- | awk -v n="$1" 'NR <= n'
}

# apply_mutant FILE LINE LINES NEW: replaces the lines in the current folder
apply_mutant() {
	local text=${4//$'\001'/$'\n'}
	text=${text//$'\002'/$'\t'}
	TEXT=$text awk -v first="$2" -v lines="$3" '
		NR == first { print ENVIRON["TEXT"] }
		NR < first || NR >= first + lines' "$1" >"$1.mutant" && cat "$1.mutant" >"$1" &&
		rm "$1.mutant"
}
