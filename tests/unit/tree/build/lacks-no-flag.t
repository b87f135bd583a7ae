lacks_it 'a C compiler that works (cc says: *-fnone*)' $ALL CFLAGS=-fnone
