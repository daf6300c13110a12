-- count_ambiguous
SELECT COUNT(*) AS ambiguous
FROM "measu'red code bins" AS b
WHERE last_bin <> bin
