-- print_verdicts
-- One row a claim. UNCHECKED: the rows do not contradict it, but cannot prove it.
SELECT number, verdict, required, found, claim
FROM "kanon_claims" AS c
ORDER BY number
