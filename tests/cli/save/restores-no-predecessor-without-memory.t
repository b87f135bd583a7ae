saved; free 70; refused 'of memory are free' restore v0 $S
