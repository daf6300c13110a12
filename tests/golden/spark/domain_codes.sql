CREATE TEMP VIEW `values dis'ease` AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY value) AS INTEGER) AS code
FROM (SELECT DISTINCT `dis'ease` AS value FROM `the source; DROP TABLE x`) AS d
