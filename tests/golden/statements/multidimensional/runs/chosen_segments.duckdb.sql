-- chosen_segments
CREATE TEMP TABLE "hal'ves" AS
SELECT
  j.begins,
  CASE WHEN (j.loss & 15) = 15 THEN j.ends ELSE (j.begins & -16) + 32 + (j.loss & 15) END AS ends
FROM "al'l" AS j
UNION ALL
SELECT
  (j.begins & -16) + 32 + (j.loss & 15) AS begins,
  j.ends
FROM "al'l" AS j
WHERE (j.loss & 15) < 15
