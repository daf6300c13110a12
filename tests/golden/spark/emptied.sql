CREATE TEMP VIEW `fai'ling in boxes` AS
SELECT *
FROM `in'` AS l
WHERE FALSE
