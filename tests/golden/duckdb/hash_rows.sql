SELECT
  COUNT(*) AS row_count,
  SUM(CAST(hash(
    CAST("na'me" AS VARCHAR),
    CAST("s.s.n" AS VARCHAR),
    CAST("se""x" AS VARCHAR),
    CAST("zip; --" AS VARCHAR),
    CAST("age
of 👩_low" AS VARCHAR),
    CAST("age
of 👩_high" AS VARCHAR),
    CAST("SELECT" AS VARCHAR),
    CAST("dis'ease" AS VARCHAR),
    CAST("ward 🏥" AS VARCHAR),
    CAST("vis.it" AS VARCHAR)
  ) AS HUGEINT)) AS row_hash
FROM "read back" AS t
