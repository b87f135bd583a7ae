of_both countdown countdown
