known mesh
