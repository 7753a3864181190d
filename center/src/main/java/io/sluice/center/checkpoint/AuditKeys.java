package io.sluice.center.checkpoint;

import io.sluice.center.audit.AuditSeal;
import io.sluice.center.audit.AuditTables;
import io.sluice.center.audit.LoggedKey;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.refusal.RefusedException;
import io.sluice.core.time.Clock;
import io.sluice.runtime.witness.KeyChange;
import io.sluice.runtime.witness.LogKey;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The keys of the log: the public keys in the database, and the signing key in a file outside the database. Centers on one database need
 * the same file; one of them creates it, and the operator copies it. Thread-safe.
 */
public final class AuditKeys implements AuditSeal {

    private static final Logger LOG = LoggerFactory.getLogger(AuditKeys.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int LOG_BYTES = 16;

    private final Database database;
    private final KeyFile file;
    private final Clock clock;
    private @Nullable SigningKey loaded;
    private Optional<String> problem = Optional.empty();

    /**
     * Creates the keys.
     *
     * @param data the directory of the key file
     */
    public AuditKeys(Database database, Path data, Clock clock) {
        this.database = database;
        this.file = new KeyFile(data);
        this.clock = clock;
    }

    /** Gives the log its id and its first key, if it has none. */
    public void begin() {
        if (!database.read(AuditTables::keys).isEmpty()) {
            return;
        }
        SigningKey first;
        try {
            Optional<SigningKey> present = file.read();
            first = present.orElseGet(SigningKey::generate);
            if (present.isEmpty()) {
                file.write(first);
            }
        } catch (IOException e) {
            say(e.getMessage() + "; without the file, the next start creates one");
            return;
        }
        boolean unused = database.write(client -> {
            // The head is changed first, so that transactions of two centers that start at the same time are
            // serialized.
            client.sql("UPDATE audit_head SET log = ? WHERE name = 'command' AND log = ''")
                    .param(logId())
                    .update();
            if (AuditTables.keys(client).isEmpty()) {
                insert(client, 1, new LoggedKey(first.known(), "", "", clock.epochMicros() / 1000));
            }
            return true;
        });
    }

    @Override
    public Optional<Stamp> sign(JdbcClient client, String text) {
        return signing(AuditTables.keys(client)).map(key -> key.seal(text));
    }

    /** Returns the reason why this center cannot sign; empty if it can. */
    @Override
    public synchronized Optional<String> problem() {
        return problem;
    }

    /**
     * Returns the current signing key, if this center has it.
     *
     * @param keys the keys of the log
     */
    synchronized Optional<SigningKey> signing(List<LoggedKey> keys) {
        if (keys.isEmpty()) {
            return Optional.empty();
        }
        LogKey newest = keys.get(keys.size() - 1).key();
        SigningKey known = loaded;
        if (known != null && known.known().equals(newest)) {
            return Optional.of(known);
        }
        try {
            Optional<SigningKey> found =
                    file.find(newest.id()).filter(key -> key.known().equals(newest));
            if (found.isEmpty()) {
                say(file.path() + ": " + (file.read().isEmpty() ? "missing" : "another key")
                        + " (expected: the file with key " + newest.id()
                        + ", copied from the data directory of the center that created it)");
                return Optional.empty();
            }
            file.publish(found.get());
            loaded = found.get();
            problem = Optional.empty();
            return found;
        } catch (IOException e) {
            say(e.getMessage() + "; the log has key " + newest.id());
            return Optional.empty();
        }
    }

    /**
     * Replaces the signing key, and returns the new one. A running center notices the change.
     *
     * @param lost whether the old key no longer exists anywhere. It then does not sign the new key, and nodes refuse later checkpoints
     *     until their operators let them start over
     */
    public LogKey rotate(CommandLog log, Actor actor, boolean lost) throws IOException {
        List<LoggedKey> keys = database.read(AuditTables::keys);
        if (keys.isEmpty()) {
            throw RefusedException.conflict("audit key: none (expected: a center that has been started once)");
        }
        Optional<SigningKey> before = signing(keys);
        if (before.isPresent() == lost) {
            throw RefusedException.conflict(
                    lost
                            ? "lost: the key is there, " + file.path() + " (expected: a rotation without --lost)"
                            : problem().orElse("") + "; if nobody has it any more, add --lost");
        }
        SigningKey next = SigningKey.generate();
        file.prepare(next);
        try {
            store(log, actor, keys, before, next);
        } catch (RefusedException e) {
            file.discard(next);
            throw e;
        }
        file.finish(next);
        return next.known();
    }

    /** Stores the next key, unless another process has stored one. */
    private void store(
            CommandLog log, Actor actor, List<LoggedKey> keys, Optional<SigningKey> before, SigningKey next) {
        boolean unused = database.write(client -> {
            long row = log.add(
                    client,
                    actor,
                    new Command.Act(
                            "rotate_audit_key",
                            "",
                            Map.of(
                                    "before", keys.get(keys.size() - 1).key().id(),
                                    "key", next.known().id(),
                                    "lost", before.isEmpty())));
            List<LoggedKey> present = AuditTables.keys(client);
            if (!present.equals(keys)) {
                throw RefusedException.conflict(
                        "audit key: replaced by somebody else at row " + row + " (expected: one rotation at a time)");
            }
            Optional<KeyChange> change = before.map(key -> key.change(AuditTables.log(client), next.known()));
            insert(
                    client,
                    keys.size() + 1,
                    new LoggedKey(
                            next.known(),
                            change.map(KeyChange::before).orElse(""),
                            change.map(KeyChange::signature).orElse(""),
                            clock.epochMicros() / 1000));
            return true;
        });
    }

    private void say(String text) {
        String sentence = "this center signs no checkpoints of the audit log: " + text;
        synchronized (this) {
            if (!problem.equals(Optional.of(sentence))) {
                LOG.error(sentence);
            }
            problem = Optional.of(sentence);
        }
    }

    private static void insert(JdbcClient client, long number, LoggedKey key) {
        client.sql("INSERT INTO audit_key (number, id, public_key, before_id, signature, at) VALUES (?, ?, ?, ?, ?, ?)")
                .params(number, key.key().id(), key.key().text(), key.before(), key.signature(), key.atMillis())
                .update();
    }

    private static String logId() {
        byte[] bytes = new byte[LOG_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
