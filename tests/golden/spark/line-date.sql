CREATE TEMP VIEW `line; 1` AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CAST(DATEDIFF(`spot`, DATE '1970-01-01') AS DOUBLE) AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`d`.`value` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`d`.`value` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`d`.`value` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS spot
      FROM `domain of visits` AS d
    ) AS s
  ) AS r
) AS m
