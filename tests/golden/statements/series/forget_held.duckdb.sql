-- forget_held
DELETE FROM "ledger; --"
WHERE birth_release IS NULL
