package io.sluice.center.audit;

import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.TreeHash;
import io.sluice.runtime.witness.WitnessReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Verifies a log whose rows come from a database or from an exported file. Not thread-safe.
 *
 * <p>The caller first adds all known facts about the log (keys, checkpoints, witnesses, the counter, heads) in any order. Then
 * the caller adds the pruned segments, each with the hashes of its rows, and then all rows in their order. {@link #finish}
 * returns the report.
 *
 * <p>The verifier computes the tree while the rows arrive. Whenever the tree reaches the size of a checkpoint, a witness or a
 * remembered head, it compares the roots. So each of them vouches for all rows up to it, and the verifier never holds more than a
 * few rows.
 */
public final class AuditCheck {

    /** The kind of a row that records pruning. Its body contains first, last, root and a signature. */
    public static final String PRUNE = "prune_audit";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int MOST_NAMED = 20;

    private final KeyHistory keys = new KeyHistory();
    private final ErasedRows erased = new ErasedRows();
    private final Frontier tree = Frontier.empty();
    private final Anchors anchors = new Anchors();
    private final List<LoggedKey> givenKeys = new ArrayList<>();
    private final List<Checkpoint> givenCheckpoints = new ArrayList<>();
    private final Testimonies testimonies = new Testimonies();
    private final Faults integrity = new Faults();
    private final Faults completeness = new Faults();

    private String log = "";
    private @Nullable LogKey trusted;
    private AuditHead remembered = AuditHead.NONE;
    private @Nullable AuditHead head;
    private OptionalLong counter = OptionalLong.empty();
    private @Nullable AuditSegment pruned;
    private boolean pruningIsTold;
    private boolean begun;
    private boolean broken;
    private long rows;
    private long lastRow;
    private int goodCheckpoints;
    private long highestCheckpoint;
    private long signedUntil;
    private long signedAtMillis;

    /** Sets the id of the log. */
    public void log(String id) {
        requireBefore();
        log = id;
    }

    /** Adds the next key of the log, oldest first. */
    public void key(LoggedKey key) {
        requireBefore();
        givenKeys.add(key);
    }

    /** Sets a key of the log that the caller already knew from outside the verified data. */
    public void trust(LogKey key) {
        requireBefore();
        trusted = key;
    }

    public void checkpoint(Checkpoint checkpoint) {
        requireBefore();
        givenCheckpoints.add(checkpoint);
    }

    /** Adds a sentence about a part of the log that cannot be read. */
    public void damage(String problem) {
        requireBefore();
        integrity.add(problem);
    }

    /** Adds the report of a node. */
    public void witness(String name, WitnessReport report) {
        requireBefore();
        testimonies.add(name, report, Optional.empty());
    }

    /** Adds a checkpoint that a node kept. */
    public void witness(String name, Checkpoint kept) {
        requireBefore();
        testimonies.add(
                name,
                new WitnessReport(kept.log(), kept.size(), kept.root(), kept.atMillis(), kept.key(), Optional.empty()),
                Optional.of(kept));
    }

    /** Sets the newest row that was remembered outside the verified data. */
    public void remembered(AuditHead newest) {
        requireBefore();
        remembered = newest;
    }

    /** Sets the head that is stored with the log. */
    public void head(AuditHead stored) {
        requireBefore();
        head = stored;
    }

    /** Sets the highest number that any row ever had. */
    public void counter(long highest) {
        requireBefore();
        counter = OptionalLong.of(highest);
    }

    /** Adds a pruned segment. A call of {@link #leaf} for each of its rows follows. */
    public void segment(AuditSegment segment) {
        begin();
        AuditSegment before = pruned;
        pruned = segment;
        lastRow = Math.max(lastRow, segment.last());
        if (segment.first() != (before == null ? 1 : before.last() + 1) || segment.last() < segment.first()) {
            breaks(completeness, segment.first(), "missing: pruned segments do not follow each other");
            return;
        }
        if (before != null) {
            requireLeaves(before);
        }
        anchors.add(segment.last(), segment.root(), same -> {
            if (!same) {
                integrity.add(
                        segment.last(),
                        "replaced: rows " + segment.first() + ".." + segment.last()
                                + " were pruned, and their hashes are not those that were kept");
            }
        });
    }

    /** Adds the hash of the next pruned row. */
    public void leaf(String hash) {
        begin();
        if (broken) {
            return;
        }
        AuditSegment of = pruned;
        if (of == null || tree.size() >= of.last() || rows > 0 || !TreeHash.isHash(hash)) {
            breaks(integrity, tree.size() + 1, "inserted: the hash of a row that belongs to no pruned segment");
            return;
        }
        grow(hash);
    }

    /** Adds the next row. */
    public void accept(LoggedRow row) {
        begin();
        if (rows == 0 && pruned != null && !broken) {
            requireLeaves(pruned);
        }
        rows++;
        lastRow = Math.max(lastRow, row.row().number());
        if (broken) {
            return;
        }
        if (row.row().number() != tree.size() + 1) {
            outOfOrder(row.row().number());
            return;
        }
        Optional<String> fault = fault(row);
        if (fault.isPresent()) {
            breaks(integrity, row.row().number(), fault.get());
            return;
        }
        erased.look(row, log, keys);
        lookForPruning(row);
        grow(row.hash());
    }

    /** Returns the report. No other call may follow. */
    public AuditReport finish() {
        begin();
        if (rows == 0 && pruned != null && !broken) {
            requireLeaves(pruned);
        }
        if (!broken) {
            checkEnd();
        }
        erased.first()
                .ifPresent(
                        row -> integrity.add(
                                row,
                                "changed: its content is gone, and no later row tells that it was erased, signed by a key of the log"));
        long expected = checkTail();
        checkPruning();
        return report(expected);
    }

    private void requireBefore() {
        if (begun) {
            throw new IllegalStateException("rows have been given (expected: everything else before them)");
        }
    }

    private void begin() {
        if (begun) {
            return;
        }
        begun = true;
        givenKeys.forEach(key -> keys.add(log, key).ifPresent(integrity::add));
        if (trusted != null && !keys.has(trusted)) {
            integrity.add("key " + trusted.id() + ": trusted, but the log has never had this key");
        }
        keys.brokenFor(trusted)
                .ifPresent(id -> integrity.add(
                        "key " + id + ": began anew without the signature of the key before (trust it to go on)"));
        givenCheckpoints.forEach(this::begin);
        testimonies.begin(log, keys, anchors);
        if (remembered.number() > 0) {
            anchors.add(remembered.number(), remembered.hash(), same -> {
                if (!same) {
                    integrity.add(
                            remembered.number(),
                            "replaced: " + anchors.suspects() + " is not the one that this machine remembers");
                }
            });
        }
        anchors.compare(tree);
    }

    private void begin(Checkpoint checkpoint) {
        String name = "the checkpoint of " + Instant.ofEpochMilli(checkpoint.atMillis());
        if (!checkpoint.log().equals(log)) {
            integrity.add(name + " belongs to another log");
            return;
        }
        if (!keys.signed(checkpoint)) {
            integrity.add(name + " for " + checkpoint.size() + " rows has a wrong signature");
            return;
        }
        highestCheckpoint = Math.max(highestCheckpoint, checkpoint.size());
        anchors.add(checkpoint.size(), checkpoint.root(), same -> {
            if (!same) {
                integrity.add(
                        checkpoint.size(),
                        "replaced: " + anchors.suspects() + " is not the one that " + name + " signs");
                return;
            }
            goodCheckpoints++;
            LogKey key = trusted;
            boolean counts = key == null || keys.follows(key, checkpoint.key());
            if (counts && checkpoint.size() >= signedUntil) {
                signedUntil = checkpoint.size();
                signedAtMillis = checkpoint.atMillis();
            }
        });
    }

    private void grow(String leaf) {
        tree.add(leaf);
        anchors.compare(tree);
    }

    private void breaks(Faults side, long row, String text) {
        side.add(row, text);
        broken = true;
    }

    private void outOfOrder(long number) {
        long next = tree.size() + 1;
        if (number < 1) {
            breaks(integrity, number, "inserted: a row has number " + number + ", but the first row of a log is 1");
        } else if (number < next) {
            breaks(integrity, number, "inserted: the row occurs twice or at a wrong place");
        } else if (next == 1) {
            breaks(
                    completeness,
                    1,
                    "missing: rows up to " + (number - 1) + " are gone, and no segment keeps their head");
        } else {
            breaks(integrity, next, "missing: the next row is " + number);
        }
    }

    private Optional<String> fault(LoggedRow logged) {
        if (logged.isErased() && !erased.add(logged)) {
            return Optional.of("changed: the row says that it was erased, but has content or names no later row");
        }
        if (!logged.isErased() && !logged.isCommitted()) {
            return Optional.of("changed: origin, reason or body are not those that were stored");
        }
        if (!logged.hash().equals(logged.row().hash())) {
            return Optional.of("changed: the row is not the one that was stored");
        }
        return Optional.empty();
    }

    private void requireLeaves(AuditSegment segment) {
        if (tree.size() < segment.last()) {
            breaks(
                    completeness,
                    tree.size() + 1,
                    "missing: rows up to " + segment.last() + " were pruned without hashes");
        }
    }

    private void lookForPruning(LoggedRow row) {
        AuditSegment last = pruned;
        if (last == null || pruningIsTold || row.isErased() || !row.row().kind().equals(PRUNE)) {
            return;
        }
        try {
            JsonNode body = JSON.readTree(row.body());
            pruningIsTold = body.path("last").asLong(0) == last.last()
                    && body.path("root").asString("").equals(last.root())
                    && keys.sealed(body, AuditSeal.pruned(log, last));
        } catch (JacksonException e) {
            // An unreadable row does not record any pruning.
            pruningIsTold = false;
        }
    }

    private void checkPruning() {
        AuditSegment last = pruned;
        if (last != null && !broken && !pruningIsTold) {
            completeness.add(
                    last.first(),
                    "missing: rows " + last.first() + ".." + last.last()
                            + " are gone, and no later row tells that they were pruned, signed by a key of the log");
        }
    }

    private void checkEnd() {
        long size = tree.size();
        if (counter.isPresent() && counter.getAsLong() < size) {
            integrity.add(counter.getAsLong() + 1, "inserted: only " + counter.getAsLong() + " rows were ever written");
        }
        if (head != null
                && (head.number() < size
                        || (head.number() == size && !head.hash().equals(tree.root())))) {
            integrity.add(size, "changed: the head of the log is not that of its rows");
        }
    }

    /** Checks whether rows are missing at the end. Returns the highest row number that any source knows. */
    private long checkTail() {
        Map<String, Long> known = new LinkedHashMap<>();
        known.put("the counter of rows", counter.orElse(0));
        known.put("the head of the log", head == null ? 0 : head.number());
        known.put("this machine", remembered.number());
        known.put("a checkpoint", highestCheckpoint);
        testimonies.end(log, lastRow, known::put);
        List<String> knowMore = known.entrySet().stream()
                .filter(each -> each.getValue() > lastRow)
                .map(Map.Entry::getKey)
                .limit(MOST_NAMED)
                .toList();
        long expected = Math.max(lastRow, Collections.max(known.values()));
        if (expected > lastRow) {
            completeness.add(
                    lastRow + 1,
                    "missing: rows up to " + expected + " were cut off at the end (known to "
                            + String.join(", ", knowMore) + ")");
        }
        return expected;
    }

    private AuditReport report(long expected) {
        Optional<Faults.Fault> first = Faults.firstOf(integrity, completeness, testimonies.contradictions());
        List<String> unverified = new ArrayList<>();
        first.ifPresent(fault -> unverified.add(fault.sentence()));
        if (trusted == null) {
            unverified.add("no trusted key was given");
        } else if (goodCheckpoints == 0 || (signedUntil == 0 && tree.size() > 0)) {
            unverified.add("no checkpoint is signed by the trusted key or one that follows from it");
        }
        if (testimonies.isNoneAgreeing()) {
            unverified.add("no witness vouches for the log");
        }
        return new AuditReport(
                rows,
                tree.root(),
                first.map(Faults.Fault::number).orElse(OptionalLong.empty()),
                first.map(Faults.Fault::text),
                remembered.number(),
                new AuditReport.Integrity(
                        integrity.firstRow(), integrity.sentences(), goodCheckpoints, signedUntil, signedAtMillis),
                new AuditReport.Completeness(
                        completeness.firstRow(),
                        completeness.sentences(),
                        expected,
                        pruned == null ? 0 : pruned.last()),
                testimonies.report(tree.size()),
                unverified);
    }
}
