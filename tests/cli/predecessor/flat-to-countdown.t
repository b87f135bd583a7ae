of_both flat countdown
