"""SQLite and PostgreSQL through one code: tables, migrations, and the ports that are kept in them."""
