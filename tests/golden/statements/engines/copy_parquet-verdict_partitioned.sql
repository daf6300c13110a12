-- duckdb
COPY (SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it" FROM "staged'" AS t WHERE EXISTS (SELECT 1 FROM "verdict; --" AS v)
  AND NOT (
    SELECT CASE WHEN COUNT(*) > 0 THEN error('kanon-sql: a column of partition_by has values that are not ASCII, which DuckDB escapes in names of folders and Spark reads otherwise; apply the plan instead, which renames them') ELSE FALSE END
    FROM "staged'" AS t
    WHERE strlen(CAST("se""x" AS VARCHAR)) > LENGTH(CAST("se""x" AS VARCHAR)) OR strlen(CAST("ward 🏥" AS VARCHAR)) > LENGTH(CAST("ward 🏥" AS VARCHAR))
  ))
TO 'script''s parts' (
  FORMAT PARQUET,
  PARTITION_BY ("se""x", "ward 🏥"),
  ROW_GROUP_SIZE 4096,
  COMPRESSION 'snappy'
)

-- spark
SELECT `na'me`, `s.s.n`, `se"x`, `zip; --`, `age
of 👩_low`, `age
of 👩_high`, `SELECT`, `dis'ease`, `ward 🏥`, `vis.it`
FROM `staged'` AS t
