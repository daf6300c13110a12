CREATE TEMP VIEW `val'ues 0` AS
SELECT place, value
FROM (
  SELECT place, value, ROW_NUMBER() OVER (PARTITION BY place ORDER BY CAST(`a`.`value` AS STRING)) AS nth
  FROM `line; 0` AS a
) AS v
WHERE nth = 1
