-- relation
SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it"
FROM "staged'"
