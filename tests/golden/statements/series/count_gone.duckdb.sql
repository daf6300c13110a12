-- count_gone
SELECT COUNT(gone_release) AS gone
FROM "alive; --" AS a
