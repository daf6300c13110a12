-- duckdb
COPY (SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it" FROM "staged'" AS t WHERE EXISTS (SELECT 1 FROM "verdict; --" AS v))
TO 'script''s.parquet' (
  FORMAT PARQUET,
  COMPRESSION 'zstd',
  COMPRESSION_LEVEL 1
)

-- spark
SELECT `na'me`, `s.s.n`, `se"x`, `zip; --`, `age
of 👩_low`, `age
of 👩_high`, `SELECT`, `dis'ease`, `ward 🏥`, `vis.it`
FROM `staged'` AS t
