saved; $XD resize v0 --capacity 20k; refused 'v0 has a predecessor' restore v0 $S
