-- duckdb
COPY (SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it" FROM "staged'" AS t)
TO 'parts beside suppressed ones' (
  FORMAT PARQUET,
  PARTITION_BY ("se""x", "ward 🏥"),
  KV_METADATA {kanon_sql_plan: '0''1', kanon_sql_suppressed: '0''1 2'},
  ROW_GROUP_SIZE 4096,
  COMPRESSION 'snappy'
)

-- spark
SELECT `na'me`, `s.s.n`, `se"x`, `zip; --`, `age
of 👩_low`, `age
of 👩_high`, `SELECT`, `dis'ease`, `ward 🏥`, `vis.it`
FROM `staged'` AS t
