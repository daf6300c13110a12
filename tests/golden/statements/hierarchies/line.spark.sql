-- line
CREATE TEMP VIEW `line; 0` AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST(CAST(`value` AS STRING) AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS spot
      FROM `domain of ages` AS d
    ) AS s
  ) AS r
) AS m
