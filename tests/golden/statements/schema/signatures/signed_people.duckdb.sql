-- signed_people
CREATE TEMP TABLE "sig;ned signed" AS
SELECT
  p.class_id,
  p.person_id,
  v.step,
  COALESCE(t.signature, '') AS signature,
  COALESCE(t.times, 0) AS times
FROM "eve'nt numbered" AS p
CROSS JOIN (SELECT DISTINCT level AS step FROM "eve'nt nodes" AS n) AS v
LEFT JOIN (
  SELECT
    l.person_id,
    l.step,
    STRING_AGG(l.label_id || ':' || l.times, ',' ORDER BY l.label_id) AS signature,
    SUM(l.times) AS times
  FROM (
    SELECT
      r.person_id,
      i.step,
      n.label_id,
      SUM(r.times) AS times
    FROM "eve'nt rows" AS r
    JOIN (
      SELECT
        m.item_id,
        w.level AS step,
        MAX(m.level) AS level
      FROM "eve'nt nodes" AS m
      JOIN (SELECT DISTINCT level FROM "eve'nt nodes" AS n) AS w ON m.level <= w.level
      GROUP BY m.item_id, w.level
    ) AS i ON i.item_id = r.item_id
    JOIN "eve'nt nodes" AS n ON n.item_id = i.item_id AND n.level = i.level
    GROUP BY r.person_id, i.step, n.label_id
  ) AS l
  GROUP BY l.person_id, l.step
) AS t ON t.person_id = p.person_id AND t.step = v.step
