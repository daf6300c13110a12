-- hash_rows
SELECT
  COUNT(*) AS row_count,
  SUM(HASHTEXTEXTENDED(CAST(ROW("s"."na'me", "s"."s.s.n", "s"."se""x", "s"."zip; --", "s"."age
of 👩_low", "s"."age
of 👩_high", "s"."SELECT", "s"."dis'ease", "s"."ward 🏥", "s"."vis.it") AS TEXT) COLLATE "C", 0)) AS "row_hash"
FROM "read back" AS s
