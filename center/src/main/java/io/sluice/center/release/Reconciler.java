package io.sluice.center.release;

import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.database.Database;
import io.sluice.center.duty.Duty;
import io.sluice.center.duty.DutyThread;
import io.sluice.center.duty.Leadership;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeReportTable;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.log.Trouble;
import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.redis.NewerLeaderException;
import io.sluice.rules.redis.RedisFleet;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.witness.CheckpointOffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings releases to the nodes repeatedly: from the database to Redis and to nodes that listen, and from their reports to the
 * state of the rollout. A later turn completes interrupted work. If several centers share a database, all of them serve nodes,
 * and one of them, the leader, writes.
 *
 * <p>The work that releases and nodes depend on happens on one thread. Redis and all other duties each have their own thread and
 * their own trouble, so a duty that fails or hangs delays nothing else.
 */
public final class Reconciler implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
    static final Duration TURN = Duration.ofMillis(250);
    private static final long REPORTS_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long COMFORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Database database;
    private final CurrentRules current;
    private final LiveNodes nodes;
    private final RuleFeed feed;
    private final Clock clock;
    private final Leadership leadership;
    private final RolloutTable rollouts = new RolloutTable();
    private final NodeReportTable reports = new NodeReportTable();
    private final @Nullable Publication publication;
    private final @Nullable RedisFleet board;
    private final Trouble databaseTrouble = Trouble.with("the database", "changes are refused; nodes go on");

    /** A database may be readable but not writable, so a successful read must not end this trouble. */
    private final Trouble writingTrouble = Trouble.with("the database for writing", "changes are refused; nodes go on");

    private final Trouble redisTrouble = Trouble.with("Redis", "releases reach it as soon as it is back");
    private final Trouble boardTrouble =
            Trouble.with("the place of reports in Redis", "nodes that report there are not seen");
    private final LinkedBlockingQueue<Boolean> wishes = new LinkedBlockingQueue<>(1);
    private final Thread thread;
    /** The term of this center; 0 while it does not lead. */
    private volatile long term;

    /**
     * The time of the last turn of the leadership. No other center can lead before the timeout of the leadership has passed since
     * then.
     */
    private volatile long ledNanos;

    private volatile boolean closed;
    private volatile FleetRules rules = FleetRules.NONE;
    private final AdjustmentBook adjustments;
    private final List<DutyThread> duties = new CopyOnWriteArrayList<>();

    /** Failures of these duties count as trouble with Redis. */
    private final List<DutyThread> redisDuties;

    private volatile Supplier<Optional<CheckpointOffer>> offer = Optional::empty;
    private volatile Consumer<NodeReport> data = report -> {};

    /** The number of requests of other centers for the mirror. The next field is the number of served requests. */
    private volatile long mirrorsAsked;

    private long mirrorsWritten = -1;

    /** The start of the last complete read of the reports in Redis. */
    private volatile long boardReadNanos;

    /** The highest term of another leader because of which Redis refused the reports of this center. */
    private volatile long boardTerm;

    /** This field and the next two are used only by the thread. */
    private long reportedNanos;

    /** The start of the present term. */
    private long tookOverNanos;

    private long comfortedNanos;

    /** The time of the last read of the reports in Redis. Used only by the thread of that duty. */
    private long boardNanos;

    /**
     * Creates a reconciler. {@link #start} starts it.
     *
     * @param self the name of this center among the centers on the database
     * @param redis the Redis of the nodes, if there is one
     */
    public Reconciler(
            Database database,
            CurrentRules current,
            AdjustmentBook adjustments,
            LiveNodes nodes,
            RuleFeed feed,
            Clock clock,
            String self,
            Optional<String> redis) {
        this.database = database;
        this.current = current;
        this.adjustments = adjustments;
        this.nodes = nodes;
        this.feed = feed;
        this.clock = clock;
        this.leadership = new Leadership(self, clock);
        this.publication = redis.map(
                        uri -> new Publication(RedisRulePublisher.connect(uri), this::isRun, this::stored, clock))
                .orElse(null);
        this.board = redis.map(RedisFleet::at).orElse(null);
        this.reportedNanos = clock.nanoTime() - REPORTS_NANOS;
        this.comfortedNanos = clock.nanoTime();
        this.boardNanos = clock.nanoTime() - REPORTS_NANOS;
        this.boardReadNanos = clock.nanoTime();
        this.tookOverNanos = clock.nanoTime();
        if (publication != null && board != null) {
            Publication rulesInRedis = publication;
            RedisFleet place = board;
            redisDuties = List.of(
                    thread("rules in Redis", leading -> publish(rulesInRedis), redisTrouble, 1),
                    thread("reports in Redis", leading -> exchange(place, term), boardTrouble, 1));
        } else {
            redisDuties = List.of();
        }
        this.thread = new Thread(this::run, "sluice-center-reconciler");
        this.thread.setDaemon(true);
    }

    /**
     * Adds a duty with its own thread. Called before the start.
     *
     * @param name a noun for logs and {@code GET /api/status}, such as {@code alerts}
     */
    public void add(String name, Duty duty) {
        duties.add(thread(name, duty, Trouble.of("the duty " + name), DutyThread.CALM_TURNS));
    }

    private DutyThread thread(String name, Duty duty, Trouble trouble, int calmTurns) {
        return new DutyThread(
                name, duty, () -> term != 0, () -> databaseProblem().isPresent(), trouble, calmTurns);
    }

    /** Sets the source of the checkpoint that nodes receive through Redis. */
    public void tell(Supplier<Optional<CheckpointOffer>> checkpoint) {
        offer = checkpoint;
    }

    /** Sets the consumer of the reports that arrive through Redis. */
    public void hear(Consumer<NodeReport> heard) {
        data = heard;
    }

    /** Reads the released rules and starts to work. */
    public void start() {
        databaseTrouble.attempt(this::refresh);
        // Published before any node can ask, so that no node receives an empty rule set.
        feed.publish(rules);
        if (publication != null) {
            redisTrouble.attempt(() -> publication.look(rules));
        }
        databaseTrouble.attempt(() -> database.read(client -> {
            reports.all(client).forEach(nodes::learn);
            return true;
        }));
        thread.start();
        duties.forEach(DutyThread::start);
        redisDuties.forEach(DutyThread::start);
    }

    /** Requests a turn soon, because rules were released. Returns immediately. */
    public void wake() {
        boolean unused = wishes.offer(true);
        duties.forEach(DutyThread::wake);
        redisDuties.forEach(DutyThread::wake);
    }

    /** Takes a turn of the center and of each duty now, on this thread. Their own threads continue. Tests step a center with it. */
    public void step() {
        turn();
        redisDuties.forEach(DutyThread::turn);
        duties.forEach(DutyThread::turn);
    }

    /** Returns the highest known version in Redis; 0 without Redis. */
    public long highestElsewhere() {
        return publication == null ? 0 : publication.highest();
    }

    public RuleSet latest() {
        return rules.inForce();
    }

    /** Returns all rules and adjustments that decide in the fleet. */
    public FleetRules rules() {
        return rules;
    }

    /**
     * Returns whether this center leads. No two centers on a database lead at the same moment: a center that was stalled does not
     * lead again until it has asked the database.
     */
    public boolean leads() {
        return term != 0 && clock.nanoTime() - ledNanos < Leadership.PATIENCE_NANOS;
    }

    /** Returns the reason why the database cannot be used now. */
    public Optional<String> databaseProblem() {
        return databaseTrouble.now().or(writingTrouble::now);
    }

    /** Returns the reason why Redis cannot be used now. */
    public Optional<String> redisProblem() {
        return redisTrouble.now().or(boardTrouble::now);
    }

    /** Returns the work that is not done now, one sentence each. */
    public List<String> problems() {
        return Stream.concat(
                        duties.stream().flatMap(duty -> duty.problem().stream()),
                        redisDuties.stream().flatMap(duty -> duty.delay().stream()))
                .toList();
    }

    /** Returns the state of Redis; empty without Redis. */
    public Optional<PublicationState> publication() {
        return Optional.ofNullable(publication).map(Publication::state);
    }

    /**
     * Writes the mirror in Redis again. Waits for Redis and throws if it is unavailable. If another center leads, that center
     * writes the mirror some moments later.
     */
    public void repairMirror() {
        if (publication == null) {
            return;
        }
        if (leads()) {
            try {
                publication.mirror();
                return;
            } catch (NewerLeaderException e) {
                LOG.info("the mirror is left to another center: {}", e.getMessage());
            }
        }
        database.write(client -> {
            leadership.askForMirror(client);
            return true;
        });
    }

    private void publish(Publication rulesInRedis) {
        rulesInRedis.turn(term, rules);
        long asked = mirrorsAsked;
        if (asked != mirrorsWritten && term != 0) {
            if (mirrorsWritten >= 0) {
                rulesInRedis.mirror();
            }
            mirrorsWritten = asked;
        }
    }

    private FleetRules stored() {
        return database.read(client -> current.with(client, adjustments.current(client, rules.adjustments())));
    }

    /** Returns the facts about the fleet that nodes receive. */
    public Fleet fleet() {
        RuleSet latest = rules.inForce();
        return new Fleet(
                nodes.live().size(),
                latest.version(),
                latest.version() == 0 ? "" : latest.digest(),
                clock.epochMicros() / 1000);
    }

    @Override
    public void close() {
        closed = true;
        wake();
        duties.forEach(DutyThread::close);
        redisDuties.forEach(DutyThread::close);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (publication != null) {
            publication.close();
        }
        if (board != null) {
            board.close();
        }
    }

    private void run() {
        while (!closed) {
            try {
                turn();
                Boolean unused = wishes.poll(TURN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | Error e) {
                LOG.error("a turn failed; the next one follows", e);
            }
        }
        databaseTrouble.attempt(() -> database.write(client -> {
            leadership.resign(client);
            return true;
        }));
    }

    private synchronized void turn() {
        nodes.attend();
        databaseTrouble.attempt(this::refresh);
        feed.publish(rules);
        long now = clock.nanoTime();
        if (now - comfortedNanos >= COMFORT_NANOS) {
            comfortedNanos = now;
            feed.comfort();
        }
        if (now - reportedNanos >= REPORTS_NANOS) {
            reportedNanos = now;
            if (!writingTrouble.attempt(this::exchange)) {
                term = 0;
            }
        }
        if (leads() && (publication == null || publication.has(rules)) && isFleetKnown()) {
            writingTrouble.attempt(this::finish);
        }
        duties.forEach(DutyThread::beat);
        redisDuties.forEach(DutyThread::beat);
    }

    /** Returns whether a live node decides by a released version. */
    private boolean isRun(long version) {
        return nodes.live().stream().anyMatch(node -> node.report().rules().version() == version);
    }

    /**
     * Returns whether this center knows every live node. Nodes in Redis are known only while their reports can be read there, and
     * only if the reports have been read since this center started to lead.
     */
    private boolean isFleetKnown() {
        return board == null
                || (boardReadNanos - tookOverNanos > 0
                        && clock.nanoTime() - boardReadNanos < LiveNodes.SILENCE_NANOS / 2);
    }

    private void refresh() {
        rules = stored();
    }

    /** Takes a turn of the leadership and shares the reports of nodes with the other centers. */
    private void exchange() {
        // Stored reports are read first, so that this center does not share a report that is older than that of
        // another center.
        List<NodeReport> stored = database.read(reports::all);
        stored.forEach(nodes::learn);
        List<NodeReport> own = nodes.own();
        List<String> forgotten = nodes.forget();
        long began = clock.nanoTime();
        long above = publication == null ? 0 : Math.max(publication.foundTerm(), boardTerm);
        long before = term;
        long now = database.write(client -> {
            int unused = reports.save(client, own, stored);
            reports.remove(client, forgotten);
            mirrorsAsked = Leadership.mirrorsAsked(client);
            return leadership.turn(client, above);
        });
        ledNanos = began;
        if (now != 0 && before == 0) {
            nodes.takeOver();
            tookOverNanos = clock.nanoTime();
            LOG.info("this center leads, term {}", now);
        } else if (now == 0 && before != 0) {
            LOG.info("another center leads; this one only serves");
        }
        term = now;
        raiseRevision();
    }

    /**
     * Numbers the adjustments above the revisions of Redis and the nodes. Their revision is higher than the revision of the
     * database only if the database was replaced, such as by a backup, and they never accept a lower revision.
     */
    private void raiseRevision() {
        if (term == 0) {
            return;
        }
        long known = rules.adjustments().revision();
        long highest = Stream.concat(
                        Stream.of(publication == null ? 0L : publication.foundRevision()),
                        nodes.followers().stream()
                                .map(node -> node.report().rules().adjustments()))
                .filter(revision -> revision < Adjustments.HIGHEST_REVISION)
                .max(Long::compare)
                .orElse(0L);
        if (known > 0 && highest > known && adjustments.raise(highest)) {
            LOG.warn(
                    "adjustments had revision {} elsewhere, which the database does not know; its own ones follow as"
                            + " revision {}",
                    highest,
                    highest + 1);
        }
    }

    private void exchange(RedisFleet place, long leading) {
        long now = clock.nanoTime();
        if (now - boardNanos < REPORTS_NANOS) {
            return;
        }
        place.lead(leading);
        try {
            exchange(place, leading != 0);
        } catch (NewerLeaderException e) {
            boardTerm = Math.max(boardTerm, e.term());
        }
        // Redis is asked in each turn until it answers, so that a turn without an error means that Redis is
        // available.
        boardNanos = now;
    }

    private void exchange(RedisFleet place, boolean leading) {
        long began = clock.nanoTime();
        for (Map.Entry<String, String> report : place.reports().entrySet()) {
            try {
                NodeReport read = NodeReport.parse(report.getValue());
                // Every center reads these reports, but only the leader counts them.
                if (read.node().equals(report.getKey()) && nodes.report(read, NodeState.Way.REDIS) && leading) {
                    data.accept(read);
                }
            } catch (IllegalArgumentException e) {
                LOG.debug("the report of node {} cannot be read: {}", report.getKey(), e.getMessage());
            }
        }
        if (leading) {
            // Every node reads the same text in Redis, so erasure orders are never sent this way, because they name a
            // person.
            place.tell(fleet().with(offer.get(), List.of()).toJson());
        }
        boardReadNanos = began;
    }

    /** Ends the running rollout if every live node runs its version or the version that the node tries. */
    private void finish() {
        RuleSet latest = rules.inForce();
        Optional<Rollout> underWay = database.read(rollouts::underWay);
        if (underWay.isEmpty() || underWay.get().version() != latest.version()) {
            return;
        }
        List<NodeState> live = nodes.followers();
        String digest = latest.digest();
        if (live.stream().allMatch(node -> node.runs(latest.version(), digest) || runsTrial(node))) {
            long now = clock.epochMicros() / 1000;
            String acknowledgements = Acknowledgement.json(Acknowledgement.of(live, latest.version(), digest));
            boolean done = database.write(client -> leadership.holds(client)
                    && rollouts.finish(client, underWay.get().id(), now, acknowledgements));
            if (done) {
                LOG.info("version {} is released and in force; live nodes: {}", latest.version(), live.size());
            }
        }
    }

    private boolean runsTrial(NodeState node) {
        RuleSet own = rules.rules(node.report().node());
        return own.version() != rules.inForce().version() && node.runs(own.version(), own.digest());
    }
}
