-- release_map
CREATE TEMP VIEW `released se"x` AS
SELECT
  d.value,
  p.`level_1` AS `label`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_1`) AS INTEGER) AS `code`
FROM `domain se"x` AS d
JOIN `complete se"x` AS p
  ON CAST(`d`.`value` AS STRING) IS NOT DISTINCT FROM `p`.`value`
