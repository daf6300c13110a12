-- delete_keys
DELETE FROM "kept; keys"
