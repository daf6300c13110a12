SELECT
  COUNT(*) AS row_count,
  SUM(CAST(XXHASH64(
    CAST(`na'me` AS STRING),
    `na'me` IS NULL,
    CAST(`s.s.n` AS STRING),
    `s.s.n` IS NULL,
    CAST(`se"x` AS STRING),
    `se"x` IS NULL,
    CAST(`zip; --` AS STRING),
    `zip; --` IS NULL,
    CAST(`age
of 👩_low` AS STRING),
    `age
of 👩_low` IS NULL,
    CAST(`age
of 👩_high` AS STRING),
    `age
of 👩_high` IS NULL,
    CAST(`SELECT` AS STRING),
    `SELECT` IS NULL,
    CAST(`dis'ease` AS STRING),
    `dis'ease` IS NULL,
    CAST(`ward 🏥` AS STRING),
    `ward 🏥` IS NULL,
    CAST(`vis.it` AS STRING),
    `vis.it` IS NULL
  ) AS DECIMAL(38, 0))) AS row_hash
FROM `read back` AS t
