-- shared_bins
CREATE TEMP TABLE "measu'red shared bins" AS
SELECT
  a.own,
  a.bin AS first_bin,
  b.bin AS second_bin,
  DENSE_RANK() OVER (ORDER BY a.bin, b.bin) AS bin
FROM (SELECT DISTINCT own, bin FROM "measu'red bins se""x" AS o) AS a
JOIN (SELECT DISTINCT own, bin FROM "measu'red bins zip; --" AS o) AS b ON b.own = a.own
