-- insert_key
INSERT INTO "kept; keys" (name, inner_key, outer_key)
SELECT 'KANON_TEST_KEY', CURRENT_SETTING('kanon.' || 'kanon_inner_7191c3cf'), CURRENT_SETTING('kanon.' || 'kanon_outer_7191c3cf')
