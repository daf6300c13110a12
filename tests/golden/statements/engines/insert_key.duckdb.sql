-- insert_key
INSERT INTO "kept; keys" (name, inner_key, outer_key)
SELECT 'KANON_TEST_KEY', LOWER(HEX(getvariable('kanon_inner_7191c3cf'))), LOWER(HEX(getvariable('kanon_outer_7191c3cf')))
