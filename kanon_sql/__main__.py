"""`python -m kanon_sql` is `kanon-sql`."""

from __future__ import annotations

from kanon_sql.apps.cli import main

if __name__ == "__main__":
    main()
