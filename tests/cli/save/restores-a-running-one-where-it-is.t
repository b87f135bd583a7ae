saved; refused 'name no interfaces' restore v0 $S p0
