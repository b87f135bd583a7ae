got replay mesh --port 8001; echo "$output" >$D/out; grep '^gsp: .* 500 new, ' $D/out
has 'ihave_new 500'; has 'from 10.0.0'; grep '^ignored: 500 ' $D/out
