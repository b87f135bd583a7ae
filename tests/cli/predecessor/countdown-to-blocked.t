of_both countdown blocked
