-- copy_csv
COPY (SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it" FROM "staged'" AS t)
TO 're''lease.csv' (FORMAT CSV, HEADER TRUE)
