package io.sluice.center.audit;

import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers the newest row of the log in a file outside the database, so that a truncated or replaced log is noticed. The file
 * keeps a row even after the database has lost it. Thread-safe.
 */
public final class AuditMemory {

    /** The name of the file in the data directory. */
    public static final String FILE = "audit-head";

    private static final Logger LOG = LoggerFactory.getLogger(AuditMemory.class);
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,18}) ([0-9a-f]{64})\\s*");

    private final Database database;
    private final Path file;
    private final AuditRounds rounds;
    private AuditHead remembered;
    private Optional<String> problem = Optional.empty();

    /**
     * Reads the remembered row from the file.
     *
     * @throws IOException if the file cannot be read
     */
    public AuditMemory(Database database, Path data, Clock clock) throws IOException {
        this.database = database;
        this.rounds = new AuditRounds(database, clock);
        this.file = data.resolve(FILE);
        this.remembered = read(file);
    }

    /** Returns the newest row that is remembered. */
    public synchronized AuditHead remembered() {
        return remembered;
    }

    /** Returns the problem of the log; empty if none is known. */
    public synchronized Optional<String> problem() {
        return problem.or(rounds::problem);
    }

    /** Checks the next rows of the whole log in the background. */
    public void patrol() {
        rounds.turn(remembered());
    }

    /** Stores the newest row if the log still contains the row that was stored before; otherwise reports a problem. */
    public synchronized void look() {
        AuditHead known = remembered;
        AuditHead newest = database.read(AuditTree::head);
        boolean isThere = database.read(client -> AuditTables.hasRow(client, newest.number()));
        if (newest.equals(known) && isThere) {
            problem = Optional.empty();
            return;
        }
        boolean stands = isThere
                && database.read(client -> AuditTree.root(client, known.number()))
                        .filter(known.hash()::equals)
                        .isPresent();
        if (!stands) {
            say("the audit log no longer has row " + known.number() + " as this machine remembers it; rows were changed"
                    + " or removed (see POST /api/audit/verify)");
            return;
        }
        problem = Optional.empty();
        try {
            write(newest);
            remembered = newest;
        } catch (IOException e) {
            say("the audit log: " + file + " cannot be written: " + e);
        }
    }

    private void say(String text) {
        if (!problem.equals(Optional.of(text))) {
            LOG.error(text);
        }
        problem = Optional.of(text);
    }

    /**
     * Checks the whole log.
     *
     * @param trusted a key of the log that the caller knows
     * @param witnesses the reports of nodes by the names of the nodes
     */
    public AuditReport verify(Optional<LogKey> trusted, Map<String, WitnessReport> witnesses) {
        AuditHead known = remembered();
        return database.read(client -> AuditWalk.whole(client, known, trusted, witnesses));
    }

    private void write(AuditHead head) throws IOException {
        Path next = file.resolveSibling(FILE + ".new");
        Files.writeString(next, head.number() + " " + head.hash() + "\n", StandardCharsets.US_ASCII);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static AuditHead read(Path file) throws IOException {
        try {
            Matcher text = TEXT.matcher(Files.readString(file, StandardCharsets.US_ASCII));
            if (!text.matches()) {
                throw new IOException(file + ": not readable (expected: a number and a hash; remove the file to begin"
                        + " anew, if nobody has tampered with it)");
            }
            return new AuditHead(Long.parseLong(text.group(1)), text.group(2));
        } catch (NoSuchFileException e) {
            return AuditHead.NONE;
        }
    }
}
