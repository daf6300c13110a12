-- all_rows
SET row_security = off
