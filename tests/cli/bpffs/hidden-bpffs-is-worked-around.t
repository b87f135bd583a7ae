got hidden $LOAD; lacks note; [ -e $PINS/v0/timer ]; got $XD status v0
has "(native)"; lacks stopped; got hidden $XD status; has "(native)"
hidden $XD add v0 $ID_A; hidden $XD rotate v0; got $XD test v0 $ID_A
is '00000000000000000000000000000000000000000000000000000000000000aB known'; hidden $XD unload v0
idle v0; clean
