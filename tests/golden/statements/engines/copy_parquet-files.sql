-- duckdb
COPY (SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it" FROM "staged'" AS t)
TO 'files of parts' (
  FORMAT PARQUET,
  FILE_SIZE_BYTES 1000000000,
  ROW_GROUP_SIZE 4096,
  COMPRESSION 'snappy'
)

-- spark
SELECT `na'me`, `s.s.n`, `se"x`, `zip; --`, `age
of 👩_low`, `age
of 👩_high`, `SELECT`, `dis'ease`, `ward 🏥`, `vis.it`
FROM `staged'` AS t
