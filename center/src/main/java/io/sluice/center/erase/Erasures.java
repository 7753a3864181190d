package io.sluice.center.erase;

import io.sluice.center.audit.AuditSeal;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.SubjectText;
import io.sluice.center.refusal.RefusedException;
import io.sluice.core.time.Clock;
import io.sluice.rules.pattern.Attributes;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.runtime.erasure.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Erases subjects: from the center's database immediately, and from nodes as they report. Thread-safe, even with several centers
 * on the same database.
 *
 * <p>The database never contains the subject in clear text. While nodes are asked, it contains the subject encrypted with a key
 * that is stored outside the database; then the encrypted subject is deleted. Each erasure is also written to a file outside the
 * database, so that it can be repeated after a backup is restored.
 */
public final class Erasures {

    /** The time for which nodes without an answer are asked. */
    public static final Duration PATIENCE = Duration.ofDays(30);

    private static final Logger LOG = LoggerFactory.getLogger(Erasures.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SCRUB_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_PENDING = 1_000;
    private static final int LONGEST_REASON = 10_000;

    private final Database database;
    private final CommandLog log;
    private final Clock clock;
    private final LiveNodes nodes;
    private final ErasureKey key;
    private final ErasureList list;
    private final List<PersonalData> personal;
    private final StoredTexts stored;
    private final Eraser eraser;
    private final ErasureTable table = new ErasureTable();
    private final OpenOrders orders = new OpenOrders();

    /** True if the database was used with another key. */
    private final boolean isForeign;

    private final List<HashedData> data = new CopyOnWriteArrayList<>();

    /** The hashes that were erased from this data, by the number of the erasure. Used only by the thread of {@link #turn}. */
    private final Map<Long, Set<String>> erasedData = new LinkedHashMap<>();

    private volatile @Nullable String listProblem;

    private volatile @Nullable String dataProblem;

    /** True if files of the database may still contain erased data. */
    private volatile boolean isScrubDue;

    private volatile boolean isScrubFailing;

    /** This field and the next two are used only by the thread of {@link #turn}. */
    private long lookedNanos;

    private long scrubbedNanos;
    private long listedUntil;

    private Erasures(
            Database database,
            CommandLog log,
            Clock clock,
            LiveNodes nodes,
            AuditSeal seal,
            ErasureKey key,
            ErasureList list,
            List<PersonalData> personal) {
        this.database = database;
        this.log = log;
        this.clock = clock;
        this.nodes = nodes;
        this.key = key;
        this.list = list;
        this.personal = List.copyOf(personal);
        this.stored = new StoredTexts(personal);
        this.eraser = new Eraser(log, key, seal, stored);
        this.isForeign = !database.write(client -> isKeyOf(client, key.check()));
        this.lookedNanos = clock.nanoTime() - LOOK_NANOS;
        this.scrubbedNanos = clock.nanoTime();
    }

    /**
     * Opens the erasures of a center, and repeats the erasures that a restored database does not know.
     *
     * @param seal signs that audit rows lost their content
     * @param personal the data of all concepts that may name a subject
     * @param data the data directory, which contains the key and the list
     * @throws IOException with one line for the user
     */
    public static Erasures open(
            Database database,
            CommandLog log,
            Clock clock,
            LiveNodes nodes,
            AuditSeal seal,
            List<PersonalData> personal,
            Path data)
            throws IOException {
        requireReadable(data);
        ErasureKey key = ErasureKey.of(data);
        Erasures erasures = new Erasures(database, log, clock, nodes, seal, key, ErasureList.open(data, key), personal);
        if (erasures.isForeign) {
            // The list contains erasures of another database.
            LOG.error(erasures.problems().get(0));
        } else {
            erasures.eraseAgain();
            erasures.look();
        }
        return erasures;
    }

    /**
     * Requires that the list of a data directory is readable if it exists.
     *
     * @throws IOException with one line for the user
     */
    public static void requireReadable(Path data) throws IOException {
        if (!ErasureList.exists(data)) {
            return;
        }
        if (!ErasureKey.exists(data)) {
            throw new IOException(data.resolve(ErasureKey.FILE) + ": missing beside " + ErasureList.FILE
                    + " (expected: both files from the same data directory)");
        }
        var unused = ErasureList.open(data, ErasureKey.of(data));
    }

    /**
     * Copies the key and the list from the directory of a backup, or from the directory above it, to a data directory without a
     * list. So a backup that lies in a data directory finds them wherever it is restored.
     *
     * @throws IOException if they cannot be copied
     */
    public static void takeAlong(Path backup, Path data) throws IOException {
        Path directory = backup.toAbsolutePath().getParent();
        for (int i = 0; i < 2 && directory != null; i++) {
            if (!ErasureList.exists(data) && ErasureList.exists(directory) && ErasureKey.exists(directory)) {
                for (String file : List.of(ErasureKey.FILE, ErasureList.FILE)) {
                    Files.copy(
                            directory.resolve(file),
                            data.resolve(file),
                            StandardCopyOption.REPLACE_EXISTING,
                            StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
            directory = directory.getParent();
        }
    }

    /**
     * Removes the check of the key from a database that is being filled from a backup, so that the database accepts the key that
     * it finds.
     */
    public static void forgetKey(JdbcClient client) {
        client.sql("DELETE FROM erasure_key").update();
    }

    /** Adds data from which subjects are erased by their hashes. Called before the center starts to work. */
    public void add(HashedData hashed) {
        data.add(hashed);
    }

    /** Returns the problems that prevent erasures, as sentences. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (isForeign) {
            problems.add(
                    ErasureKey.FILE + ": not the one that this database was used with, so subjects cannot be erased"
                            + " here (expected: the same file in the data directory of every center on the database)");
        }
        String told = listProblem;
        if (told != null) {
            problems.add(told);
        }
        String kept = dataProblem;
        if (kept != null) {
            problems.add(kept);
        }
        if (isScrubFailing) {
            problems.add(
                    "the files of the database may still have what was erased; the center tries again every minute to"
                            + " overwrite it (expected: free space on the disk, at least as much as the database has)");
        }
        return problems;
    }

    /**
     * Erases a subject from the database and starts to ask nodes.
     *
     * @return the erasure in its present state
     */
    Erasure begin(Actor actor, Subject asked, String why) {
        String reason = reason(why);
        if (isForeign) {
            throw RefusedException.conflict(problems().get(0));
        }
        Subject subject = new Subject(Attributes.normalisedName(asked.attribute()), asked.value(), asked.known());
        SubjectText text = new SubjectText(subject);
        if (text.isIn(reason)) {
            throw RefusedException.invalid(
                    "reason: it names the subject (expected: a reason that can be kept, such as the number of a case)");
        }
        String hash = key.caller(subject.attribute(), subject.value());
        String sealed = key.seal(subject, hash);
        List<Removal.AskedNode> known = nodes.all().stream()
                .map(node -> new Removal.AskedNode(
                        node.report().node(), node.report().identity().name(), node.way() == NodeState.Way.HTTP))
                .toList();
        Findings found = database.read(client -> Findings.of(client, text, personal));
        Erasure made = database.write(client -> {
            Eraser.waitForOthers(client);
            if (table.pending(client) >= MOST_PENDING) {
                throw RefusedException.conflict("erasures: " + MOST_PENDING
                        + " wait for nodes (expected: fewer; bring back the nodes that do not answer, see"
                        + " GET /api/erasures)");
            }
            long id = Database.next(client, "erasure");
            Removal removal =
                    eraser.erase(client, actor, id, reason, text, new Eraser.Caller(subject.attribute(), hash), found);
            Erasure erasure = new Erasure(
                    id,
                    subject.attribute(),
                    hash,
                    sealed,
                    reason,
                    actor.name(),
                    now(),
                    Erasure.State.PENDING,
                    0,
                    removal.asking(known));
            table.add(client, erasure);
            return erasure;
        });
        orders.add(open(made, subject, Set.of()));
        write(made);
        scrub();
        LOG.info(
                "erasure {} of a subject by attribute {}: the center removed {}; nodes to ask: {}",
                made.id(),
                made.attribute(),
                made.removal().removed(),
                known.stream().filter(Removal.AskedNode::http).count());
        return made;
    }

    private static String reason(String reason) {
        if (reason.isBlank()) {
            throw RefusedException.invalid("reason: empty (expected: a few words that do not name the subject)");
        }
        if (reason.length() > LONGEST_REASON) {
            throw RefusedException.invalid(
                    "reason: " + reason.length() + " characters (expected: at most " + LONGEST_REASON + ")");
        }
        return reason.strip();
    }

    /** Returns the orders for a node. Does not wait for the database. */
    public List<ErasureOrder> orders(String node) {
        return orders.of(node);
    }

    /** Takes the results that a node reports for its orders. They are stored soon; this method does not wait for the database. */
    public void answered(String node, List<ErasureResult> results) {
        if (nodes.find(node).filter(known -> known.way() == NodeState.Way.HTTP).isEmpty()) {
            return;
        }
        results.forEach(result -> orders.answered(node, result));
    }

    /**
     * Stores the answers of nodes, and reads the erasures of other centers. Called several times a second.
     *
     * @param leads whether this center ends erasures
     */
    public void turn(boolean leads) {
        long now = clock.nanoTime();
        if (isScrubDue && now - scrubbedNanos >= SCRUB_NANOS) {
            scrubbedNanos = now;
            scrub();
        }
        if (isForeign) {
            return;
        }
        store();
        if (now - lookedNanos >= LOOK_NANOS) {
            lookedNanos = now;
            look();
        }
        if (leads) {
            orders.all().forEach(this::finish);
        }
    }

    List<Erasure> list(long below, int most) {
        return database.read(client -> table.list(client, below, most));
    }

    Erasure require(long id) {
        return database.read(client -> table.find(client, id))
                .orElseThrow(() -> RefusedException.missing("erasure " + id + ": unknown"));
    }

    Map<String, ErasureTable.Answer> answers(long id) {
        return database.read(client -> table.answers(client, id));
    }

    LiveNodes nodes() {
        return nodes;
    }

    private void store() {
        Map<OpenOrders.Answered, ErasureResult> arrived = orders.arrived();
        if (arrived.isEmpty()) {
            return;
        }
        // Data is erased before the answer is stored, because a stored answer is not processed again.
        Map<OpenOrders.Answered, Map<String, Long>> erased = new HashMap<>();
        try {
            for (Map.Entry<OpenOrders.Answered, ErasureResult> each : arrived.entrySet()) {
                erased.put(each.getKey(), eraseData(each.getKey(), each.getValue()));
            }
            dataProblem = null;
        } catch (IOException e) {
            String problem = "a subject cannot be erased from the data about traffic: " + e.getMessage()
                    + " (expected: free space and write access; the center tries again)";
            if (!problem.equals(dataProblem)) {
                LOG.error(problem);
            }
            dataProblem = problem;
            return;
        }
        long removed = database.write(client -> {
            Eraser.waitForOthers(client);
            return arrived.entrySet().stream()
                    .mapToLong(each ->
                            store(client, each.getKey(), each.getValue(), erased.getOrDefault(each.getKey(), Map.of())))
                    .sum();
        });
        orders.stored(arrived.keySet());
        arrived.keySet().stream().map(OpenOrders.Answered::id).distinct().forEach(id -> write(require(id)));
        arrived.forEach((answer, result) -> LOG.info(
                "node {} answered erasure {}: removed {}, could not remove {} things",
                answer.node(),
                answer.id(),
                result.removed(),
                result.left().size()));
        if (removed > 0) {
            scrub();
        }
    }

    /** Erases the hashes of an answer from data outside the database. Returns the number of removed items by kind. */
    private Map<String, Long> eraseData(OpenOrders.Answered answer, ErasureResult result) throws IOException {
        Set<String> hashes = new HashSet<>(result.hashes());
        // Nodes with a common key report the same hashes. Each hash is erased once.
        hashes.removeAll(erasedData.getOrDefault(answer.id(), Set.of()));
        Map<String, Long> removed = new TreeMap<>();
        if (hashes.isEmpty() || data.isEmpty()) {
            return removed;
        }
        boolean isAsked = database.read(client -> table.find(client, answer.id()))
                .filter(erasure -> erasure.isPending() && isAsked(erasure, answer.node()))
                .isPresent();
        if (isAsked) {
            for (HashedData each : data) {
                removed.merge(each.kind(), each.erase(hashes), Long::sum);
            }
            erasedData.computeIfAbsent(answer.id(), made -> new HashSet<>()).addAll(hashes);
            while (erasedData.size() > MOST_PENDING) {
                erasedData.remove(erasedData.keySet().iterator().next());
            }
        }
        return removed;
    }

    /** Returns whether a node was known when the erasure started. */
    private static boolean isAsked(Erasure erasure, String node) {
        return erasure.removal().asked().stream()
                .anyMatch(known -> known.http() && known.id().equals(node));
    }

    /** Returns the number of overrides and audit rows that were removed because of the answer. */
    private long store(
            JdbcClient client, OpenOrders.Answered answer, ErasureResult result, Map<String, Long> removedData) {
        Optional<Erasure> erasure = table.find(client, answer.id()).filter(Erasure::isPending);
        if (erasure.isEmpty()
                || !table.answer(client, answer.id(), answer.node(), new ErasureTable.Answer(now(), result))) {
            return 0;
        }
        if (!isAsked(erasure.get(), answer.node())) {
            // A node that appeared later cannot decide which overrides are removed.
            return 0;
        }
        Optional<Removal> next = eraser.eraseHashes(client, erasure.get(), answer.node(), result.hashes());
        if (next.isPresent() || !removedData.isEmpty()) {
            table.update(
                    client, answer.id(), next.orElseGet(erasure.get()::removal).with(removedData));
        }
        return next.map(removal -> count(removal) - count(erasure.get().removal()))
                .orElse(0L);
    }

    private static long count(Removal removal) {
        return removal.removed().getOrDefault(Removal.OVERRIDES, 0L)
                + removal.removed().getOrDefault(Removal.AUDIT_ROWS, 0L);
    }

    /** Reads the open orders, and adds erasures that the list lacks. */
    private void look() {
        Set<Long> before = orders.ids();
        List<Erasure> news = database.read(client -> table.news(client, listedUntil));
        List<OpenOrders.Open> open = new ArrayList<>();
        boolean isListed = true;
        for (Erasure stored : news) {
            isListed &= write(stored);
            if (isListed) {
                listedUntil = Math.max(listedUntil, stored.id());
            }
            if (stored.isPending()) {
                look(eraseTrials(stored)).ifPresent(open::add);
            }
        }
        orders.replace(before, open);
    }

    private static OpenOrders.Open open(Erasure erasure, Subject subject, Set<String> answered) {
        Set<String> asked = erasure.removal().asked().stream()
                .filter(Removal.AskedNode::http)
                .map(Removal.AskedNode::id)
                .collect(Collectors.toSet());
        return new OpenOrders.Open(
                new ErasureOrder(erasure.id(), subject),
                erasure.at(),
                asked,
                answered,
                !erasure.removal().trials().isEmpty());
    }

    /** Returns the order of a waiting erasure. Ends an erasure that no longer has an order. */
    private Optional<OpenOrders.Open> look(Erasure erasure) {
        Set<String> answered =
                database.read(client -> table.answers(client, erasure.id())).keySet();
        Optional<Subject> subject = key.open(erasure.sealed(), erasure.subject());
        if (subject.isEmpty()) {
            boolean isDone =
                    erasure.sealed().isEmpty() && erasure.removal().trials().isEmpty();
            if (isDone || isExpired(erasure.at())) {
                end(
                        erasure.id(),
                        isDone ? Erasure.State.DONE : Erasure.State.EXPIRED,
                        answered.size(),
                        asked(erasure, answered));
            }
        }
        return subject.map(each -> open(erasure, each, answered));
    }

    /** Erases the subject from trials that have ended in the meantime. */
    private Erasure eraseTrials(Erasure erasure) {
        List<Long> trials = erasure.removal().trials();
        if (trials.isEmpty() || database.read(client -> stored.areOnTrial(client, trials))) {
            return erasure;
        }
        database.write(client -> {
            Eraser.waitForOthers(client);
            table.find(client, erasure.id())
                    .ifPresent(now -> table.update(client, now.id(), eraser.eraseTrials(client, now)));
            return true;
        });
        scrub();
        return require(erasure.id());
    }

    private static long asked(Erasure erasure, Set<String> answered) {
        return erasure.removal().asked().stream()
                .filter(node -> node.http() && !answered.contains(node.id()))
                .count();
    }

    private boolean isExpired(long at) {
        return now() - at >= PATIENCE.toMillis();
    }

    private void finish(OpenOrders.Open order) {
        if (order.isDone() || isExpired(order.at())) {
            long missing = order.asked().stream()
                    .filter(node -> !order.answered().contains(node))
                    .count();
            end(
                    order.order().id(),
                    order.isDone() ? Erasure.State.DONE : Erasure.State.EXPIRED,
                    order.answered().size(),
                    missing);
        }
    }

    private void end(long id, Erasure.State state, int answered, long missing) {
        // Removed before others can read that the erasure has ended, so that no node is asked afterwards. If the end
        // cannot be stored, the next look adds the order again.
        orders.remove(id);
        boolean ended = database.write(client -> {
            if (!table.end(client, id, state, now())) {
                return false;
            }
            long unused = log.add(
                    client,
                    Actor.CENTER,
                    new Command.Act(
                            "end_erasure",
                            "",
                            Map.of("erasure", id, "state", state.word(), "answered", answered, "missing", missing)));
            return true;
        });
        if (ended) {
            // Old pages still contain the encrypted subject.
            isScrubDue = true;
            LOG.info(
                    "erasure {} is {}; nodes that answered: {}, that never did: {}",
                    id,
                    state.word(),
                    answered,
                    missing);
        }
    }

    /** Repeats the erasures in the list that the database does not know. */
    private void eraseAgain() {
        List<ErasureList.Entry> entries = list.entries();
        if (entries.isEmpty()) {
            return;
        }
        WordHashes words = new WordHashes(key);
        Map<ErasureList.Entry, List<Long>> rows = database.read(client -> words.rows(client, unknown(client, entries)));
        List<Removal> removed = database.write(client -> {
            Eraser.waitForOthers(client);
            long used = used(client);
            List<Removal> again = new ArrayList<>();
            for (ErasureList.Entry entry : entries) {
                if (!table.covers(client, entry.subject(), entry.at())) {
                    Removal removal = eraser.eraseAgain(client, entry, rows.getOrDefault(entry, List.of()), words);
                    removal.left().forEach(LOG::error);
                    if (!removal.isNothing() || entry.id() > used) {
                        table.add(client, restored(client, entry, removal));
                    }
                    again.add(removal);
                }
            }
            // Nodes and Redis identify an erasure by its number, so a number is never used again.
            long highest =
                    entries.stream().mapToLong(ErasureList.Entry::id).max().orElse(0);
            client.sql("UPDATE counter SET value = ? WHERE name = 'erasure' AND value < ?")
                    .params(highest, highest)
                    .update();
            return again;
        });
        long found = removed.stream().filter(removal -> !removal.isNothing()).count();
        if (found > 0) {
            LOG.warn("the database had data that was erased before; subjects that were erased again: {}", found);
            scrub();
        }
    }

    /**
     * Returns erasures that the database never contained. Erasures that were deleted because of their age need no search of all
     * rows.
     */
    private List<ErasureList.Entry> unknown(JdbcClient client, List<ErasureList.Entry> entries) {
        long used = used(client);
        return entries.stream()
                .filter(entry -> entry.id() > used && !table.covers(client, entry.subject(), entry.at()))
                .toList();
    }

    /** Returns the highest number that any erasure ever had. */
    private static long used(JdbcClient client) {
        return client.sql("SELECT value FROM counter WHERE name = 'erasure'")
                .query(Long.class)
                .single();
    }

    private Erasure restored(JdbcClient client, ErasureList.Entry entry, Removal removal) {
        boolean isFree = table.find(client, entry.id()).isEmpty();
        List<String> left = new ArrayList<>(removal.left());
        left.add("nodes: they are no longer asked, because the database was restored from a backup (erase"
                + " the subject again if some had not answered before)");
        return new Erasure(
                isFree ? entry.id() : Database.next(client, "erasure"),
                entry.attribute(),
                entry.subject(),
                "",
                "",
                Actor.CENTER.name(),
                entry.at(),
                removal.trials().isEmpty() ? Erasure.State.DONE : Erasure.State.PENDING,
                removal.trials().isEmpty() ? now() : 0,
                new Removal(
                        removal.removed(),
                        left,
                        entry.rows(),
                        entry.texts(),
                        entry.hashes(),
                        List.of(),
                        removal.trials()));
    }

    /** Writes an erasure to the list. Returns whether the list contains it. */
    private boolean write(Erasure erasure) {
        try {
            list.add(ErasureList.Entry.of(erasure));
            listProblem = null;
            return true;
        } catch (IOException e) {
            String problem = ErasureList.FILE + ": cannot be written (" + e + "), so a restored backup would bring back"
                    + " what was erased (expected: free space and write access; the center tries again)";
            if (!problem.equals(listProblem)) {
                LOG.error(problem);
            }
            listProblem = problem;
            return false;
        }
    }

    private void scrub() {
        try {
            isScrubDue = false;
            isScrubFailing = !database.scrub();
            if (isScrubFailing) {
                isScrubDue = true;
            }
        } catch (RuntimeException e) {
            isScrubDue = true;
            isScrubFailing = true;
            LOG.warn("the files of the database could not be cleaned of what was erased: {}", e.getMessage());
        }
    }

    /** Returns whether a database belongs to a key. The first center on a database stores the check of its key. */
    private static boolean isKeyOf(JdbcClient client, String check) {
        Optional<String> known = client.sql("SELECT key_check FROM erasure_key WHERE name = 'erasure'")
                .query(String.class)
                .optional();
        if (known.isEmpty()) {
            client.sql("INSERT INTO erasure_key (name, key_check) VALUES ('erasure', ?)")
                    .param(check)
                    .update();
        }
        return known.map(check::equals).orElse(true);
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
