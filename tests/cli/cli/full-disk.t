$LOAD; for v in help 'help load' 'help counters' --version status 'status --json' size; do
fails 'cannot write all of the output' sh -c "$XD $v >/dev/full"; done
exits 1 sh -c '$XD status >/dev/full'; exits 2 sh -c '$XD help frob >/dev/full'
exits 1 sh -c '$XD status >&-'; got sh -c '$XD unload v0 >&-'; is ''
