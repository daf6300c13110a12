-- hash_rows
SELECT
  COUNT(*) AS row_count,
  SUM(CAST(XXHASH64(
    CAST(`s`.`na'me` AS STRING),
    `s`.`na'me` IS NULL,
    CAST(`s`.`s.s.n` AS STRING),
    `s`.`s.s.n` IS NULL,
    CAST(`s`.`se"x` AS STRING),
    `s`.`se"x` IS NULL,
    CAST(`s`.`zip; --` AS STRING),
    `s`.`zip; --` IS NULL,
    CAST(`s`.`age
of 👩_low` AS STRING),
    `s`.`age
of 👩_low` IS NULL,
    CAST(`s`.`age
of 👩_high` AS STRING),
    `s`.`age
of 👩_high` IS NULL,
    CAST(`s`.`SELECT` AS STRING),
    `s`.`SELECT` IS NULL,
    CAST(`s`.`dis'ease` AS STRING),
    `s`.`dis'ease` IS NULL,
    CAST(`s`.`ward 🏥` AS STRING),
    `s`.`ward 🏥` IS NULL,
    CAST(`s`.`vis.it` AS STRING),
    `s`.`vis.it` IS NULL
  ) AS DECIMAL(38, 0))) AS `row_hash`
FROM `read back` AS s
