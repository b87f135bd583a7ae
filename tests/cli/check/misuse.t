exits 2 $XD check; exits 2 $XD check v0 --profile rtp; has 'lacks UDP ports'
exits 2 $XD check v0 --name .; has '--name .: 1 to 32'; exits 2 $XD check v0 --all
exits 2 $XD check v0 --for 1h --action count; exits 2 $XD check v0 --json --port 0
got $XD check --help; has 'usage: xdp-dedup check IFNAME'; has '--json'; has '--mode'
lacks 'Needs root'
