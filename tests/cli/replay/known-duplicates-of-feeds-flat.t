known feeds-flat
