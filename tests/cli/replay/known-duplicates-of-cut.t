known cut
