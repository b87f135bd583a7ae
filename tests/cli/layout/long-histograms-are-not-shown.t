$LOAD --layout countdown --capacity 100 --countdown-bits 10 --window 1d; $XD add v0 $ID_A
$XD status v0 --json | jq -e '.cells_set as $cells | .life_expectancy_histogram |
	length == 1024 and .[1023] == $cells and add == .[0] + $cells'
$XD unload v0; $LOAD --layout countdown --capacity 100 --countdown-bits 11
$XD status v0 --json | jq -e '.life_expectancy_histogram == null and .countdowns == 2047'
