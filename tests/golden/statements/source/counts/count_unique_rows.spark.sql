-- count_unique_rows
SELECT
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM (
    SELECT
      XXHASH64(1, CAST(CAST(`s`.`vis.it` AS STRING) AS BINARY), `s`.`vis.it` IS NULL, CAST(CAST(`s`.`ward 🏥` AS STRING) AS BINARY), `s`.`ward 🏥` IS NULL) AS `hash_1`,
      XXHASH64(2, CAST(CAST(`s`.`vis.it` AS STRING) AS BINARY), `s`.`vis.it` IS NULL, CAST(CAST(`s`.`ward 🏥` AS STRING) AS BINARY), `s`.`ward 🏥` IS NULL) AS `hash_2`
    FROM `the source; DROP TABLE x` AS s
  ) AS t
  GROUP BY `hash_1`, `hash_2`
) AS u
