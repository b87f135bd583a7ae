lacks_it 'a library (cc says: *-lnone*)' $ALL LDLIBS=-lnone
