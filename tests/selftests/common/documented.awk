# SPDX-License-Identifier: GPL-2.0-only
#
# Out of the comments of uapi/pmcdrv.h: every error that is documented, as
#
#   DOCUMENTED(ioctl, error)
#
# A comment speaks of the first PMC_IOC_ that it names; its errors are the words
# of capitals that begin with E, from "Errors:" to the comment's end or to the
# first empty line.

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
