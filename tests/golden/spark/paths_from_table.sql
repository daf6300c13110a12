CREATE TEMP VIEW `copied` AS
SELECT
  CAST(`SELECT` AS STRING) AS value,
  CAST(`ward 🏥` AS STRING) AS `level_1`,
  CAST(`se"x` AS STRING) AS `level_2`
FROM `from table` AS o
