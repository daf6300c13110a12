-- read_delta
CREATE TEMP VIEW "see'n" AS
SELECT *
FROM delta_scan('/la''ke', version => 7)
