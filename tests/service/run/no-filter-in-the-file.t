conf ''; start; exited 2; logs 'there is no .filter NAME'
conf '[service]' 'filters = none'; serve; told 'has no filter'; quits TERM; clean
