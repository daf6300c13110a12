-- The yardstick: the frequency set of the raw quasi-identifiers, counted once and not kept.
SELECT
  COUNT(*) AS classes,
  SUM(row_count) AS row_count,
  SUM(CASE WHEN row_count < getvariable('k') THEN row_count ELSE 0 END) AS outliers
FROM (
  SELECT COUNT(*) AS row_count
  FROM census
  GROUP BY sex, age, zip, education, marital, country, workclass, occupation
) AS classes
