-- specialize_line
CREATE TEMP TABLE "cu't 3" AS
SELECT
  c.place,
  CASE
    WHEN c.place BETWEEN -1 AND 0 THEN -1
    WHEN c.place BETWEEN 1 AND 1 THEN -1
    WHEN c.place BETWEEN 2 AND 3 THEN 2
    ELSE c.part
  END AS part,
  CASE
    WHEN c.place BETWEEN -1 AND 0 THEN -1
    WHEN c.place BETWEEN 1 AND 1 THEN 1
    WHEN c.place BETWEEN 2 AND 3 THEN NULL
    ELSE c.child
  END AS child
FROM "cu't 1" AS c
