SELECT COUNT(DISTINCT p.entity) AS entities
FROM "tup;les" AS p
