# SPDX-License-Identifier: GPL-2.0-only
#
# Extracts every documented error from the comments of uapi/pmcdrv.h, as
#
#   DOCUMENTED(ioctl, error)
#
# A comment documents the first PMC_IOC_ that it names. Its errors are the words in capitals
# that begin with E, from "Errors:" to the end of the comment or the first empty line.

/\/\*/ { ioctl = ""; listing = 0 }

!ioctl && match($0, /PMC_IOC_[A-Z]+/) {
	ioctl = substr($0, RSTART + 8, RLENGTH - 8)
}

/Errors:/ {
	listing = 1
	sub(/.*Errors:/, "")
}

listing && /^ \*$/ { listing = 0 }

listing && ioctl {
	text = $0
	while (match(text, /(^|[^A-Z0-9_])E[A-Z0-9]+/)) {
		error = substr(text, RSTART, RLENGTH)
		sub(/^[^E]/, "", error)
		if (!seen[ioctl, error]++)
			print "DOCUMENTED(" ioctl ", " error ")"
		text = substr(text, RSTART + RLENGTH)
	}
}

/\*\// { listing = 0; ioctl = "" }
