lacks_it 'a C compiler (none)' $ALL CC=none
