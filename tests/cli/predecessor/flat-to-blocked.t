of_both flat blocked
