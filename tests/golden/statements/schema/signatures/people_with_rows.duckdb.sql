-- people_with_rows
CREATE TEMP TABLE "sig;ned kept" AS
SELECT
  p.person_key,
  p.person_id,
  p.class_id
FROM (
  SELECT
    s.class_id,
    s.person_id,
    s.step,
    s.signature,
    ROW_NUMBER() OVER (PARTITION BY s.class_id, s.signature ORDER BY s.person_id) AS place
  FROM "sig;ned signed" AS s
  JOIN "sig;ned chosen" AS c ON c.class_id = s.class_id AND c.step = s.step
  WHERE s.signature <> ''
) AS t
JOIN "sig;ned groups" AS g ON g.class_id = t.class_id AND g.step = t.step AND g.signature = t.signature
JOIN "eve'nt numbered" AS p ON p.person_id = t.person_id
WHERE t.place > g.emptied
