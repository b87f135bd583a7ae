known days-flat
