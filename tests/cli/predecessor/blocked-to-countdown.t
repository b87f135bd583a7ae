of_both blocked countdown
