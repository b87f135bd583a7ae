$LOAD; mkdir $PINS/x; asked 0 p0 --name x; says name - 'note: there are pins of a filter x'
rmdir $PINS/x; asked 0 p0 --name x; says name - ok
