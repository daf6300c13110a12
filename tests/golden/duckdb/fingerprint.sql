SELECT
  COUNT(*) AS row_count,
  SUM(hash("who", "na'me", "s.s.n", "street", "se""x", "zip; --", "age
of 👩", "SELECT", "dis'ease", "ward 🏥", "vis.it")) AS fingerprint
FROM "the source; DROP TABLE x"
