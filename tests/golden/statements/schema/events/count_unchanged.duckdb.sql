-- count_unchanged
SELECT COALESCE(SUM(r.times), 0) AS unchanged
FROM "eve'nt rows" AS r
JOIN "eve'nt levels" AS l ON l.class_id = r.class_id AND l.item_id = r.item_id
JOIN "eve'nt items" AS i ON i.item_id = r.item_id
WHERE l.level = 0
