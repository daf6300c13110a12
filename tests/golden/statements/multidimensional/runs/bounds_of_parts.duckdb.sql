-- bounds_of_parts
CREATE TEMP VIEW "bou'nds of parts" AS
SELECT
  p.* REPLACE (CASE WHEN f.region IS NULL THEN p.row_count ELSE f.last_row - f.region + 1 END AS row_count)
FROM "par'ts of rows" AS p
LEFT JOIN "fil'led ru'ns" AS f ON f."key_0" = p.least_key AND p.region BETWEEN f.region AND f.last_row
WHERE f.region IS NULL OR f.region = p.region
