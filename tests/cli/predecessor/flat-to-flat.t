of_both flat flat
