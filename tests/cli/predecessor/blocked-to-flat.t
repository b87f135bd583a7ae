of_both blocked flat
