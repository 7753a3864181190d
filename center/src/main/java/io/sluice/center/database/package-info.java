/** The center's database: SQLite or MariaDB, its schema, and its backups. */
@NullMarked
package io.sluice.center.database;

import org.jspecify.annotations.NullMarked;
