-- hash_rows
SELECT
  COUNT(*) AS row_count,
  SUM(CAST(hash(
    CAST("s"."na'me" AS VARCHAR),
    CAST("s"."s.s.n" AS VARCHAR),
    CAST("s"."se""x" AS VARCHAR),
    CAST("s"."zip; --" AS VARCHAR),
    CAST("s"."age
of 👩_low" AS VARCHAR),
    CAST("s"."age
of 👩_high" AS VARCHAR),
    CAST("s"."SELECT" AS VARCHAR),
    CAST("s"."dis'ease" AS VARCHAR),
    CAST("s"."ward 🏥" AS VARCHAR),
    CAST("s"."vis.it" AS VARCHAR)
  ) AS HUGEINT)) AS "row_hash"
FROM "read back" AS s
