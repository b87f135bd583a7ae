# What is written to files is what is counted: packets that pass have no duplicates among them.
options=$(cat $D/mesh.options); replay mesh $options --write-passed $D/passed --write-dropped $D/dropped \
	--json >$D/all
for part in passed dropped; do $XD replay $D/$part $options --json >$D/$part.json; done
jq -es '.[0].streams[0].counters as $all | .[1].streams[0].counters as $passed |
	$all.new == $passed.new and $passed.duplicate == 0 and $all.duplicate > 0 and
	.[0].packets == .[1].packets + .[2].packets and
	.[2].packets == $all.duplicate + $all.ihave_duplicate' $D/all $D/passed.json $D/dropped.json
