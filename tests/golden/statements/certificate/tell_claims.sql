-- duckdb, postgres
-- One row a claim. UNCHECKED: the rows do not contradict it, and cannot prove it.
SELECT number, verdict, asked, found, claim
FROM "kanon_claims" AS c
ORDER BY number

-- spark
-- One row a claim. UNCHECKED: the rows do not contradict it, and cannot prove it.
SELECT number, verdict, asked, found, claim
FROM `kanon_claims` AS c
ORDER BY number
