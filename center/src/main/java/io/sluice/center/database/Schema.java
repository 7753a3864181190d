package io.sluice.center.database;

import java.nio.file.Path;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tables of the center, by numbered migrations. */
final class Schema {

    private static final Logger LOG = LoggerFactory.getLogger(Schema.class);

    private final DatabaseKind kind;
    private final DataSource source;
    private final Path backups;

    Schema(DatabaseKind kind, DataSource source, Path backups) {
        this.kind = kind;
        this.source = source;
        this.backups = backups;
    }

    /** Brings the schema up to date. A database with data is saved first. */
    void migrate(Database database) throws DatabaseUnusableException {
        if (Migrations.areIn(JdbcClient.create(source))) {
            return;
        }
        Flyway flyway = flyway(MigrationVersion.LATEST);
        if (flyway.validateWithResult().validationSuccessful) {
            return;
        }
        MigrationInfoService found = flyway.info();
        MigrationInfo current = found.current();
        if (current != null && found.pending().length > 0) {
            Path saved = new Backups(database, backups).save("before-migration-from-" + current.getVersion());
            LOG.info("the schema of the database changes; its content was saved to {}", saved);
        }
        flyway.migrate();
    }

    /** Refuses a database that a center of another version has to open first. */
    void requireCurrent() throws DatabaseUnusableException {
        if (Migrations.areIn(JdbcClient.create(source))) {
            return;
        }
        if (flyway(MigrationVersion.LATEST).info().pending().length > 0) {
            throw new DatabaseUnusableException("database " + kind.name() + ": schema " + version()
                    + " is not that of this program (expected: a database that a center of this version has opened;"
                    + " start ./sluice center once)");
        }
    }

    /** Brings an empty database to the schema of an older program. */
    void migrateTo(String version) {
        flyway(MigrationVersion.fromVersion(version)).migrate();
    }

    /** Returns the number of the newest migration that was applied. */
    String version() {
        MigrationInfo current = flyway(MigrationVersion.LATEST).info().current();
        return current == null ? "0" : current.getVersion().getVersion();
    }

    private Flyway flyway(MigrationVersion target) {
        return Flyway.configure(Schema.class.getClassLoader())
                .dataSource(source)
                .locations("classpath:" + Migrations.FOLDER)
                .table(Migrations.TABLE)
                .placeholders(kind.placeholders(JdbcClient.create(source)))
                .target(target)
                .failOnMissingLocations(true)
                .load();
    }
}
