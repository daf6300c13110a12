-- read_snapshot
CREATE TEMP VIEW "see'n" AS
SELECT *
FROM "la'ke"."sche'ma"."ta""ble" AT (VERSION => 7)
