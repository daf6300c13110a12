-- store_key
SELECT SET_CONFIG('kanon.kanon_key_7191c3cf', (SELECT pad FROM "brought; --" AS b), FALSE)
