known sparse
