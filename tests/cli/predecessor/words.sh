# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# of_both FROM TO   v0 has this layout, and its predecessor that one: what each verb says of ids
#                   that the predecessor knows
# still_known       an id that both know cannot be taken out of countdowns alone
export ID_C=${ZEROS}cc
still_known() { exits 1 $XD remove v0 $ID_B
	has "the predecessor of v0 still knows $ID_B, and its layout, $1, "
	$XD remove v0 $ID_C; }
of_both() { $LOAD --capacity 10k --layout $1; $XD add v0 $ID_A $ID_B
	$XD resize v0 --capacity 20k --layout $2; exits 3 $XD test v0 $ID_A $ID_B $ID_C
	is "$ID_A known
$ID_B known
$ID_C unknown"
	got $XD add v0 $ID_A $ID_C; is "$ID_A known
$ID_C new"
	$XD want v0 $ID_B
	case "$1 $2" in 'countdown countdown') got $XD remove v0 $ID_A $ID_B; is "$ID_A removed
$ID_B removed"
		exits 3 $XD test v0 $ID_A $ID_B $ID_C; is "$ID_A unknown
$ID_B unknown
$ID_C known" ;;
	*' countdown') still_known $1 ;; esac
	$XD reset v0; exits 3 $XD test v0 $ID_A $ID_B $ID_C; is "$ID_A unknown
$ID_B unknown
$ID_C unknown"; }
