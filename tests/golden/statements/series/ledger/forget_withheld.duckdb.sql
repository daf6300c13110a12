-- forget_withheld
DELETE FROM "ledger; --"
WHERE birth_release IS NULL
