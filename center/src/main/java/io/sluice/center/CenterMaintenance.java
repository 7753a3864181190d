package io.sluice.center;

import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.command.RefusedException;
import io.sluice.center.database.Backups;
import io.sluice.center.database.DataDirectory;
import io.sluice.center.database.Database;
import io.sluice.center.database.DatabaseUnusableException;
import io.sluice.center.database.Dump;
import io.sluice.center.release.Releases;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.redis.Release;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Works on the data of a center without its API. Saving may run beside a center; whatever changes the data needs the data
 * directory for itself.
 */
public final class CenterMaintenance {

    private static final String BACKUPS = "backups";

    private final CenterSettings settings;

    public CenterMaintenance(CenterSettings settings) {
        this.settings = settings;
    }

    /** What is in force. */
    public record InForce(long version, int rules) {}

    /** Saves everything to a file that only its owner can read, and replaces it if it exists. */
    public void export(Path file) throws MaintenanceFailedException {
        beside(database -> {
            new Backups(database, settings.data().resolve(BACKUPS)).saveAs(file.toAbsolutePath());
            return file;
        });
    }

    /** Saves everything to the directory of the nightly backups and returns the file. */
    public Path backUp() throws MaintenanceFailedException {
        return beside(database -> new Backups(database, settings.data().resolve(BACKUPS)).save("manual"));
    }

    /**
     * Fills an empty database with an export or a backup.
     *
     * @return what is in force then
     */
    public InForce restore(Path file) throws MaintenanceFailedException {
        return alone(database -> {
            try (InputStream in = Files.newInputStream(file)) {
                long unused = new Dump(database).read(in);
            } catch (NoSuchFileException e) {
                throw new IOException(file + ": missing (expected: a file that export or backup wrote)", e);
            } catch (IOException e) {
                throw new IOException(
                        file + ": " + e.getMessage() + " (expected: a file that export or backup wrote)", e);
            }
            return inForce(database);
        });
    }

    /** Takes over the rules that are in force in Redis, with their version. */
    public InForce rebuild() throws MaintenanceFailedException {
        String redis = settings.redis()
                .orElseThrow(
                        () -> new MaintenanceFailedException("redis: none (expected: --redis URI, the nodes' Redis)"));
        RuleSet rules = released(redis);
        return alone(database -> {
            Clock clock = Clock.system();
            Versions versions = new Versions();
            CommandLog log = new CommandLog(clock);
            var unused = new Releases(
                            database, versions, new Changes(database, versions, log, clock), log, clock, () -> 0)
                    .takeOver(
                            new Actor("cli:" + System.getProperty("user.name", "unknown")),
                            rules,
                            "rebuilt from the rules in force in Redis");
            return inForce(database);
        });
    }

    private static RuleSet released(String uri) throws MaintenanceFailedException {
        try (RedisRulePublisher redis = RedisRulePublisher.connect(uri)) {
            Release release = redis.current().orElse(null);
            if (release == null) {
                throw new MaintenanceFailedException(
                        "redis: nothing was released to it (expected: a Redis with rules that a center released)");
            }
            return redis.rules(release.version());
        } catch (RuntimeException e) {
            throw new MaintenanceFailedException("redis: " + root(e) + " (expected: the nodes' Redis, running)", e);
        }
    }

    private static InForce inForce(Database database) {
        RuleSet rules = database.read(client -> new Versions().latestRules(client));
        return new InForce(rules.version(), rules.rules().size());
    }

    private interface Work<T> {
        T run(Database database) throws IOException, DatabaseUnusableException;
    }

    private <T> T alone(Work<T> work) throws MaintenanceFailedException {
        try (DataDirectory directory = DataDirectory.open(settings.data())) {
            try (Database database = Database.open(settings.db(), directory.path())) {
                return work.run(database);
            }
        } catch (DatabaseUnusableException | IOException | RefusedException e) {
            throw new MaintenanceFailedException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            throw new MaintenanceFailedException(root(e), e);
        }
    }

    private <T> T beside(Work<T> work) throws MaintenanceFailedException {
        if (settings.db().isEmpty() && !Files.exists(settings.data().resolve("center.db"))) {
            throw new MaintenanceFailedException("data: " + settings.data()
                    + " has no center's database (expected: the directory of a center; name it with --data)");
        }
        try (Database database = Database.join(settings.db(), settings.data())) {
            return work.run(database);
        } catch (DatabaseUnusableException e) {
            throw new MaintenanceFailedException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new MaintenanceFailedException(e + " (expected: a directory with write access and space)", e);
        } catch (RuntimeException e) {
            throw new MaintenanceFailedException(root(e), e);
        }
    }

    private static String root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage()).replaceAll("\\s+", " ");
    }
}
