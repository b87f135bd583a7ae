asked 1 v0 nope; [ "$(jq -c keys /mnt/j)" = '["checks","load_fails","worst"]' ]
[ $(jq -s length /mnt/j) = 1 ]; [ $(jq .load_fails /mnt/j) = true ]
[ $(jq -r .worst /mnt/j) = problem ]
[ "$(jq -c '[.checks[] | keys] | unique' /mnt/j)" = \
	'[["advice","check","found","interface","values","verdict"]]' ]
[ "$(jq -c '[.checks[].verdict] | unique - ["ok", "note", "unknown", "problem"]' /mnt/j)" = '[]' ]
not jq -e '.checks[].check | select(test("^[a-z_]+$") | not)' /mnt/j
not jq -e '.checks[] | select(.found == "" or .advice == "")' /mnt/j
asked 0 v0; [ $(jq .load_fails /mnt/j) = false ]
