asked 0 v0 p0; says programs v0 ok; says programs p0 ok; says queues p0 queue
says stacking - 'none of them'
