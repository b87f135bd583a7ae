known days
