-- count_gone
SELECT COUNT(gone_release) AS gone
FROM "gone; --" AS g
