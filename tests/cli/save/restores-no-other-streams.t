saved; $XD unload v0; $XD load v0 --profile gsp:9 --profile rtp:10
refused 'has other streams' restore v0 $S
