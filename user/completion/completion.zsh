#compdef @TOOL@
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completion of @TOOL@ for zsh.

@file user/completion/words@

_@FUNCTION@()
{
	local cur=$words[CURRENT] line
	local -a before=($words[2,CURRENT-1]) list

	if [[ $cur == --*=* ]]; then
		before+=(${cur%%=*} =)
		compset -P '*='
		cur=${cur#*=}
	fi
	list=("${(@f)$(_@FUNCTION@_words $before "$cur")}")
	if [[ $list[1] == @file ]]; then
		_files
		return
	fi
	# A colon parts a word from what it means.
	list=("${(@)list//:/\\:}")
	list=("${(@)list/	/:}")
	_describe @TOOL@ list
}

_@FUNCTION@ "$@"
