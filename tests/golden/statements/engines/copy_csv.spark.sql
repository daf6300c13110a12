-- copy_csv
SELECT
  CAST(`na'me` AS STRING) AS `na'me`,
  CAST(`s.s.n` AS STRING) AS `s.s.n`,
  CAST(`se"x` AS STRING) AS `se"x`,
  CAST(`zip; --` AS STRING) AS `zip; --`,
  CAST(`age
of 👩_low` AS STRING) AS `age
of 👩_low`,
  CAST(`age
of 👩_high` AS STRING) AS `age
of 👩_high`,
  CAST(`SELECT` AS STRING) AS `SELECT`,
  CAST(`dis'ease` AS STRING) AS `dis'ease`,
  CAST(`ward 🏥` AS STRING) AS `ward 🏥`,
  CAST(`vis.it` AS STRING) AS `vis.it`
FROM `staged'` AS t
