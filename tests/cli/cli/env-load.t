# Verbs that do not take the option do not look at its variable.
XDP_DEDUP_CAPACITY=5k XDP_DEDUP_FPR=0.5 XDP_DEDUP_WINDOW=30s $LOAD --fpr 0.25
got env XDP_DEDUP_CAPACITY=x XDP_DEDUP_FPR=x XDP_DEDUP_WINDOW=x $XD status --json
has '"capacity": 5000,'; has '"fpr": 0.25,'; has '"window_ns": 30000000000,'
