of_both blocked blocked
