got $XD status; is 'no filter is loaded'
[ "$($XD status --json | tr -d ' 
')" = '{"filters":[]}' ]
$LOAD --name zz; $XD load p0 --port 80 --name b; got $XD status --json
output=$(echo "$output" | grep '^      "name"' | tr -d ' 
')
is '"name":"b","name":"zz",'
