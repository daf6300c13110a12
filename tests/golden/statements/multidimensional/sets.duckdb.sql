-- sets-classes-nodes
CREATE TEMP TABLE "class_values 1-nodes" AS
SELECT
  s.region,
  CASE WHEN s.different = 1 AND s.known = 0 THEN NULL ELSE s.label END AS label,
  CASE WHEN s.different = 1 THEN CAST(0 AS DOUBLE) ELSE CAST("s"."different" AS DOUBLE) / CAST("d"."different" AS DOUBLE) END AS share
FROM (
  SELECT
    h.region,
    STRING_AGG("t"."label", '|' ORDER BY "t"."place") AS label,
    COUNT(*) AS different,
    SUM(t.known) AS known
  FROM (
    SELECT
      region,
      "place_0" AS place
    FROM "class_tuples 1-nodes" AS w
    GROUP BY region, "place_0"
  ) AS h
  JOIN (
    SELECT
      place,
      CASE WHEN label IS NULL THEN '\N' ELSE REPLACE(REPLACE(label, '\', '\' || '\'), '|', '\' || '|') END AS label,
      CASE WHEN label IS NULL THEN 0 ELSE 1 END AS known
    FROM (
  SELECT
    place,
    value,
    CAST("u"."value" AS VARCHAR) AS label
  FROM (
    SELECT
      place,
      value,
      ROW_NUMBER() OVER (PARTITION BY place ORDER BY encode(CAST("a"."value" AS VARCHAR))) AS nth
    FROM "value_places 1-nodes" AS a
  ) AS u
  WHERE nth = 1
    ) AS v
  ) AS t ON t.place = h.place
  GROUP BY h.region
) AS s
CROSS JOIN (
  SELECT COUNT(DISTINCT place) AS different
  FROM "value_places 1-nodes" AS a
) AS d
