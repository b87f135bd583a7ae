$LOAD; for err in 1 12; do exits 1 $WITHOUT 15 $err $XD status v0; lacks detached
exits 1 $WITHOUT 7 $err $XD status v0; lacks detached; done; got $XD status v0; has '(native)'
