-- count_gone
SELECT COUNT(gone_release) AS gone
FROM "parted; --" AS p
