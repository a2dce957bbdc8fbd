"""SQLite and PostgreSQL with the same code: tables, migrations, and implementations of ports."""
