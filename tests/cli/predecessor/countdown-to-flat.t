of_both countdown flat
