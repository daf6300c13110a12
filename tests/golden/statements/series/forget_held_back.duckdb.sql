-- forget_held_back
DELETE FROM "ledger; --"
WHERE birth_release IS NULL
