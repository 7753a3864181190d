package io.sluice.center;

import io.sluice.center.access.Scope;
import io.sluice.center.audit.AuditMemory;
import io.sluice.center.change.Changes;
import io.sluice.center.checkpoint.AuditKeys;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Backups;
import io.sluice.center.database.DataDirectory;
import io.sluice.center.database.Database;
import io.sluice.center.database.DatabaseUnusableException;
import io.sluice.center.database.Dump;
import io.sluice.center.database.PrivateFile;
import io.sluice.center.erase.Erasures;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.identity.SignInCheck;
import io.sluice.center.people.AdministratorReset;
import io.sluice.center.people.ApiTokens;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.Releases;
import io.sluice.center.signin.PublicAddress;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.redis.Release;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.witness.LogKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Maintains the data of a center without its API. Backups, administrator resets, new tokens and replacements of the audit log's key may run
 * while a center uses the data; all other tasks need exclusive access to the data directory.
 */
public final class CenterMaintenance {

    private static final String BACKUPS = "backups";

    private final CenterSettings settings;

    public CenterMaintenance(CenterSettings settings) {
        this.settings = settings;
    }

    /** The version in force, and the number of its rules. */
    public record InForce(long version, int rules) {}

    /** Saves everything to a file that only its owner can read. An existing file is replaced. */
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
     * Fills an empty database with an export or a backup. Subjects that are erased according to the data directory, or to the directory of
     * the backup, are erased again.
     *
     * @return the version in force after that
     */
    public InForce restore(Path file) throws MaintenanceFailedException {
        return alone(database -> {
            Erasures.takeAlong(file, settings.data());
            Erasures.requireReadable(settings.data());
            try (InputStream in = Files.newInputStream(file)) {
                long unused = new Dump(database).read(in);
                Files.deleteIfExists(settings.data().resolve(AuditMemory.FILE));
            } catch (NoSuchFileException e) {
                throw new IOException(file + ": missing (expected: a file that export or backup wrote)", e);
            } catch (IOException e) {
                throw new IOException(
                        file + ": " + e.getMessage() + " (expected: a file that export or backup wrote)", e);
            }
            eraseAgain(database);
            return inForce(database);
        });
    }

    private void eraseAgain(Database database) throws IOException {
        Clock clock = Clock.system();
        CommandLog log = new CommandLog(clock);
        boolean unused = database.write(client -> {
            Erasures.forgetKey(client);
            log.addOldRows(client);
            return true;
        });
        AuditKeys keys = new AuditKeys(database, settings.data(), clock);
        keys.begin();
        var unusedErasures =
                Erasures.open(database, log, clock, new LiveNodes(clock), keys, CenterData.personal(), settings.data());
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
                    .takeOver(author(), rules, "rebuilt from the rules in force in Redis");
            return inForce(database);
        });
    }

    /**
     * A link that sets up an administrator.
     *
     * @param user the account; empty if the person who uses the link chooses a name
     * @param isNew whether the account did not exist before
     */
    public record AdminLink(Optional<String> user, boolean isNew, String link) {

        @Override
        public String toString() {
            return "AdminLink[" + user + "]";
        }
    }

    /**
     * Creates a link for an administrator. The account is enabled, has all rights, and needs a new password.
     *
     * @param user the name of the account, which is created if it does not exist; empty for the only administrator
     */
    public AdminLink resetAdmin(Optional<String> user) throws MaintenanceFailedException {
        SignInSettings signIn = settings.signIn();
        if (signIn.publicUrl().isEmpty() && settings.port() == 0) {
            throw new MaintenanceFailedException(
                    "center-port: 0 (expected: the port of the center, or its --public-url, for the link)");
        }
        PublicAddress address =
                PublicAddress.of(signIn.publicUrl(), signIn.tls().isPresent(), settings.port());
        return beside(database -> {
            Clock clock = Clock.system();
            People people = People.of(database, new CommandLog(clock), clock);
            AdministratorReset.Outcome outcome = new AdministratorReset(people).reset(author(), user);
            return new AdminLink(outcome.user(), outcome.isNew(), address.url() + "/set-up#" + outcome.secret());
        });
    }

    /**
     * Checks the result of a person's sign-in at each identity server. Changes nothing.
     *
     * @return lines for the user
     */
    public List<String> checkSignIn(String name) throws MaintenanceFailedException {
        return beside(database -> {
            Clock clock = Clock.system();
            return new SignInCheck(settings.signIn(), People.of(database, new CommandLog(clock), clock)).of(name);
        });
    }

    /**
     * Creates a token for nodes that has no owner.
     *
     * @param out the file for the token, readable only by its owner; empty to return the token
     * @return the token; empty if it is in the file
     */
    public Optional<String> nodeToken(String name, Duration life, Optional<Path> out)
            throws MaintenanceFailedException {
        if (life.isZero() || life.compareTo(ApiTokens.LONGEST) > 0) {
            throw new MaintenanceFailedException(
                    "in: not a span of at most " + ApiTokens.LONGEST.toDays() + " days (expected: such as 90d)");
        }
        return beside(database -> {
            Clock clock = Clock.system();
            People people = People.of(database, new CommandLog(clock), clock);
            Instant until = Instant.ofEpochMilli(clock.epochMicros() / 1000).plus(life);
            String secret = database.write(client -> {
                ApiTokens.Created made = people.tokens()
                        .create(client, 0, name, Set.of(Scope.NODE), Optional.empty(), until.toEpochMilli());
                long unused = people.log()
                        .add(
                                client,
                                author(),
                                new Command.Act(
                                        "create_token",
                                        "",
                                        Map.of(
                                                "token", made.token().id(),
                                                "name", name,
                                                "scopes", List.of(Scope.NODE.word()),
                                                "tenant", "",
                                                "until", until.toString())));
                // If the file cannot be written, the token must not exist.
                out.ifPresent(file -> PrivateFile.write(file, made.secret() + "\n"));
                return made.secret();
            });
            return out.isPresent() ? Optional.empty() : Optional.of(secret);
        });
    }

    /**
     * Replaces the key that signs checkpoints of the audit log. The old key signs the new one, so nodes accept it.
     *
     * @param lost whether the old key no longer exists anywhere; nodes then refuse later checkpoints until they start over
     * @return the id of the new public key, and the key itself
     */
    public NewAuditKey rotateAuditKey(boolean lost) throws MaintenanceFailedException {
        return beside(database -> {
            Clock clock = Clock.system();
            LogKey key = new AuditKeys(database, settings.data(), clock).rotate(new CommandLog(clock), author(), lost);
            return new NewAuditKey(key.id(), key.text());
        });
    }

    /** A public key of the audit log. */
    public record NewAuditKey(String id, String text) {}

    private static Actor author() {
        return new Actor("cli:" + System.getProperty("user.name", "unknown")).at("local");
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
        } catch (DatabaseUnusableException | RefusedException e) {
            throw new MaintenanceFailedException(String.valueOf(e.getMessage()), e);
        } catch (UncheckedIOException e) {
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
