-- postgres
SET row_security = off
