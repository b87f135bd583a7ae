$LOAD; $XD load p0 --port 9001 --name other; flows 4
screen 80 24 $XD watch; shows '>other'; shows ' v0  '; shows 'filter 1 of 2'
has 'other: GSP/1 on UDP port 9001'; presses Down; shows '>v0'; shows 'v0: GSP/1 on UDP port 8001'
presses Down; presses k; shows '>other'; presses j; shows '>v0'
$XD unload --name other; hides other; shows 'v0: GSP/1'; lacks 'filter 1 of'
$XD unload v0; shows 'no filter is loaded'; $LOAD --name new; shows 'new: GSP/1'
presses q; ended 0
