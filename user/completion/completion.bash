# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# Completion of @TOOL@ for bash.

@file user/completion/words@

_@FUNCTION@()
{
	local cur=${COMP_WORDS[COMP_CWORD]} words
	local -a before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")

	# What is between --option= and the cursor, if nothing is.
	if [[ $cur == = ]]; then
		before+=("=") cur=
	fi
	words=$(_@FUNCTION@_words "${before[@]}" "$cur" | cut -f 1)
	if [[ $words == @file ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -F _@FUNCTION@ @TOOL@
