package io.sluice.center.alert;

import io.sluice.center.checkpoint.Checkpoints;
import io.sluice.center.command.CommandLog;
import io.sluice.center.data.CallersView;
import io.sluice.center.data.SeriesView;
import io.sluice.center.database.Database;
import io.sluice.center.destination.AlertMessage;
import io.sluice.center.destination.DestinationReply;
import io.sluice.center.destination.Destinations;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.Releases;
import io.sluice.core.time.Clock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The alerts of a center. Of several centers, only the leader evaluates rules and sends alerts; all of them show the alerts in the
 * database. Thread-safe.
 *
 * <p>Firing alerts are in the database, so the next leader continues with them. Pending alerts are only in the memory of the leader, and
 * start again under the next leader. An alert is stored before it is sent: if a center stops between the two, the alert is sent when its
 * time to repeat has come.
 */
public final class Alerts implements AutoCloseable {

    /** The maximum number of alerts that are pending or fire. */
    static final int MOST_ACTIVE = 1_000;

    /** The maximum number of alerts of one rule, so that it leaves room for others. */
    static final int MOST_OF_RULE = 100;

    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);
    private static final int MOST_RESOLVED = 200;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long TRAFFIC_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long STEP_MILLIS = 1_000;
    private static final long PRUNE_NANOS = TimeUnit.HOURS.toNanos(1);
    static final long RECENT_MILLIS = Duration.ofDays(1).toMillis();

    /** How long resolved alerts are kept. */
    public static final Duration KEPT = Duration.ofDays(30);

    private final Database database;
    private final Clock clock;
    private final Symptoms fleet;
    private final Symptoms traffic;
    private final Destinations destinations;
    private final Supplier<Optional<URI>> address;
    private final AlertBook book;
    private final AlertTable table = new AlertTable();
    private final AlertRuleTable rules = new AlertRuleTable();
    private final SilenceTable silences = new SilenceTable();
    private volatile AlertListener listener = json -> {};
    private volatile boolean isFull;

    /** The alerts that the leader knows; empty on other centers. This field and all below are guarded by this object. */
    private Map<Alert.Subject, Alert> active = new LinkedHashMap<>();

    private @Nullable Long lookedNanos;
    private long lookedMillis;
    private @Nullable Long prunedNanos;
    private final Map<String, Long> trafficNanos = new HashMap<>();
    private final Set<String> failing = new HashSet<>();

    Alerts(
            Database database,
            CommandLog log,
            Clock clock,
            Symptoms fleet,
            Symptoms traffic,
            Destinations destinations,
            Supplier<Optional<URI>> address) {
        this.database = database;
        this.clock = clock;
        this.fleet = fleet;
        this.traffic = traffic;
        this.destinations = destinations;
        this.address = address;
        this.book = new AlertBook(database, log, clock);
    }

    /** The components that alerts need, apart from the traffic. */
    public record Parts(
            Database database,
            CommandLog log,
            Clock clock,
            LiveNodes nodes,
            Releases releases,
            Reconciler reconciler,
            Checkpoints checkpoints) {}

    /**
     * Creates alerts. They evaluate their rules when {@link #turn} says that this center leads.
     *
     * @param series the counts of the traffic; empty if there are none
     * @param callers the refused callers; empty if they are not known
     * @param address the address of the center for people; empty while it is not known
     */
    public static Alerts of(
            Parts parts,
            Supplier<Optional<SeriesView>> series,
            Supplier<Optional<CallersView>> callers,
            Destinations destinations,
            Supplier<Optional<URI>> address) {
        return new Alerts(
                parts.database(),
                parts.log(),
                parts.clock(),
                new FleetSymptoms(parts.nodes(), parts.releases(), parts.reconciler(), parts.checkpoints()),
                new TrafficSymptoms(series, callers),
                destinations,
                address);
    }

    /** Sets the listener that is notified of every change. */
    public void listen(AlertListener other) {
        listener = other;
    }

    /**
     * Evaluates the rules if they are due.
     *
     * @param leads whether this center leads; other centers only show alerts
     */
    public void turn(boolean leads) {
        destinations.turn();
        Optional<URI> center = address.get();
        if (!leads) {
            forget();
        } else if (center.isPresent()) {
            look(center.get());
        }
    }

    private synchronized void forget() {
        active = new LinkedHashMap<>();
        lookedNanos = null;
        isFull = false;
        trafficNanos.clear();
    }

    /** An alert to store after an evaluation, and the event to send. */
    private record Change(Alert alert, Optional<AlertMessage.Event> told) {}

    private synchronized void look(URI center) {
        long nanos = clock.nanoTime();
        if (lookedNanos != null && nanos - lookedNanos < LOOK_NANOS) {
            return;
        }
        long now = now();
        followClock(nanos, now);
        List<AlertRule> all = new ArrayList<>();
        List<Silence> quiet = new ArrayList<>();
        List<Alert> firing = new ArrayList<>();
        Set<Long> ended = new HashSet<>();
        Set<Long> known =
                active.values().stream().map(Alert::id).filter(id -> id != 0).collect(Collectors.toSet());
        database.read(client -> {
            // The read may run twice if a connection breaks.
            all.clear();
            quiet.clear();
            firing.clear();
            ended.clear();
            all.addAll(rules.all(client));
            quiet.addAll(silences.active(client, now));
            Set<Long> stored = table.firingIds(client);
            if (!known.containsAll(stored)) {
                firing.addAll(table.firing(client));
            }
            ended.addAll(known);
            ended.removeAll(stored);
            return true;
        });
        List<Alert> doubled = adopt(firing);
        Map<Alert.Subject, Alert> next = new LinkedHashMap<>();
        List<Change> changes = new ArrayList<>();
        boolean isTooMuch = false;
        doubled.forEach(alert -> changes.add(new Change(alert.resolved(now), Optional.empty())));
        for (AlertRule rule : all) {
            isTooMuch |= !step(rule, new Stored(quiet, ended), now, nanos, next, changes);
        }
        removed(all, quiet, now, changes);
        store(changes, next);
        active = next;
        if (isTooMuch && !isFull) {
            LOG.warn("there are too many alerts; of one rule {} are shown, and {} of all", MOST_OF_RULE, MOST_ACTIVE);
        }
        isFull = isTooMuch;
        tell(changes, quiet, now, center);
        prune(nanos, now);
    }

    /** Moves the times of alerts when a clock was set, so that no alert fires, ends or is repeated early or late. */
    private void followClock(long nanos, long now) {
        if (lookedNanos != null) {
            long step = now - lookedMillis - TimeUnit.NANOSECONDS.toMillis(nanos - lookedNanos);
            if (Math.abs(step) >= STEP_MILLIS) {
                active.replaceAll((subject, alert) -> alert.later(step));
            }
        }
        lookedNanos = nanos;
        lookedMillis = now;
    }

    /**
     * Takes over alerts from the database that this leader does not know: all of them at first; later the alerts that another center stored
     * while it still believed that it leads, or that this center stored without an answer. If two alerts have the same subject, keeps the
     * older one and returns the newer one. An alert that is pending here is sent, because it is not known whether it was.
     */
    private List<Alert> adopt(List<Alert> firing) {
        List<Alert> doubled = new ArrayList<>();
        for (Alert alert : firing) {
            Alert other = active.get(alert.subject());
            if (other == null || other.id() == 0) {
                active.put(alert.subject(), other == null ? alert : alert.told(0));
            } else if (other.id() > alert.id()) {
                doubled.add(other);
                active.put(alert.subject(), alert);
            } else if (other.id() < alert.id()) {
                doubled.add(alert);
            }
        }
        return doubled;
    }

    /**
     * The state in the database at an evaluation.
     *
     * @param ended the alerts that fire here and not in the database
     */
    private record Stored(List<Silence> quiet, Set<Long> ended) {}

    /** Takes all alerts of a rule one step further. Returns false if some found no room. */
    private boolean step(
            AlertRule rule, Stored stored, long now, long nanos, Map<Alert.Subject, Alert> next, List<Change> changes) {
        List<Alert> known = active.values().stream()
                .filter(alert -> alert.rule().equals(rule.id()))
                .toList();
        Optional<List<Symptom>> seen = rule.enabled() ? seen(rule, now, nanos) : Optional.of(List.of());
        if (seen.isEmpty()) {
            known.forEach(alert -> next.put(alert.subject(), alert));
            return true;
        }
        Map<Alert.Subject, Symptom> symptoms = new LinkedHashMap<>();
        seen.get().forEach(symptom -> symptoms.put(new Alert.Subject(rule.id(), symptom.key()), symptom));
        // Known alerts come first, so that new ones do not push them out.
        Set<Alert.Subject> subjects = new LinkedHashSet<>();
        known.forEach(alert -> subjects.add(alert.subject()));
        subjects.addAll(symptoms.keySet());
        boolean isRoom = true;
        int ofRule = known.size();
        for (Alert.Subject subject : subjects) {
            Symptom symptom = symptoms.get(subject);
            Alert before = before(subject, symptom, stored);
            if (before == null && (ofRule >= MOST_OF_RULE || Math.max(active.size(), next.size()) >= MOST_ACTIVE)) {
                isRoom = false;
                continue;
            }
            ofRule += before == null ? 1 : 0;
            boolean silenced = stored.quiet().stream().anyMatch(each -> each.covers(rule.kind(), subject, now));
            AlertStep step = AlertStep.of(before, symptom, rule, silenced, now);
            step.next().ifPresent(alert -> {
                if (alert.state() != Alert.State.RESOLVED) {
                    next.put(subject, alert);
                }
                boolean isNews = before == null
                        || before.state() != alert.state()
                        || before.toldAt() != alert.toldAt()
                        || stored.ended().contains(alert.id());
                if (isNews && alert.state() != Alert.State.PENDING) {
                    changes.add(new Change(alert, step.told()));
                }
            });
        }
        return isRoom;
    }

    /** Returns a known alert. If an earlier leader has resolved it late and has sent that, it is sent again while its symptom lasts. */
    private @Nullable Alert before(Alert.Subject subject, @Nullable Symptom symptom, Stored stored) {
        Alert known = active.get(subject);
        return known != null && symptom != null && stored.ended().contains(known.id()) ? known.told(0) : known;
    }

    /** Resolves the alerts of rules that were removed. */
    private void removed(List<AlertRule> all, List<Silence> quiet, long now, List<Change> changes) {
        Set<String> ids = new HashSet<>();
        all.forEach(rule -> ids.add(rule.id()));
        active.values().stream()
                .filter(alert -> !ids.contains(alert.rule()) && alert.state() == Alert.State.FIRING)
                .forEach(alert -> {
                    boolean isTold = alert.toldAt() > 0 && quiet.stream().noneMatch(each -> each.covers(alert, now));
                    changes.add(new Change(
                            alert.resolved(now), isTold ? Optional.of(AlertMessage.Event.RESOLVED) : Optional.empty()));
                });
    }

    /** Returns the symptoms of a rule; empty if they are not known, or the rule is not evaluated now. */
    private Optional<List<Symptom>> seen(AlertRule rule, long now, long nanos) {
        try {
            if (rule.kind().isTraffic()) {
                Long last = trafficNanos.get(rule.id());
                if (last != null && nanos - last < TRAFFIC_NANOS) {
                    return Optional.empty();
                }
                trafficNanos.put(rule.id(), nanos);
                return known(rule, traffic.of(rule, now));
            }
            return known(rule, fleet.of(rule, now));
        } catch (RuntimeException e) {
            if (Database.isUnavailable(e)) {
                throw e;
            }
            if (failing.add(rule.id())) {
                LOG.error("alert rule {} cannot be evaluated; the others go on", rule.id(), e);
            }
            return Optional.empty();
        }
    }

    private Optional<List<Symptom>> known(AlertRule rule, Optional<List<Symptom>> found) {
        failing.remove(rule.id());
        return found;
    }

    private void store(List<Change> changes, Map<Alert.Subject, Alert> next) {
        if (changes.isEmpty()) {
            return;
        }
        List<Change> stored = database.write(client -> changes.stream()
                .map(change -> new Change(table.put(client, change.alert()), change.told()))
                .toList());
        for (int i = 0; i < stored.size(); i++) {
            Alert alert = stored.get(i).alert();
            changes.set(i, stored.get(i));
            if (alert.state() != Alert.State.RESOLVED) {
                next.put(alert.subject(), alert);
            }
        }
    }

    private void tell(List<Change> changes, List<Silence> quiet, long now, URI center) {
        List<AlertMessage> messages = new ArrayList<>();
        List<String> shownAll = new ArrayList<>();
        for (Change change : changes) {
            Alert alert = change.alert();
            boolean silenced = quiet.stream().anyMatch(each -> each.covers(alert, now));
            AlertReply shown = AlertReply.of(alert, silenced, center);
            shownAll.add(shown.json());
            change.told()
                    .ifPresent(event -> messages.add(new AlertMessage(
                            event,
                            shown.kind(),
                            alert.severity(),
                            shown.since().toString(),
                            shown.subject(),
                            shown.summary(),
                            alert.symptom().chinese(),
                            shown.link(),
                            shown.json())));
        }
        if (!messages.isEmpty()) {
            destinations.offer(messages);
        }
        shownAll.forEach(listener::changed);
    }

    private void prune(long nanos, long now) {
        if (prunedNanos != null && nanos - prunedNanos < PRUNE_NANOS) {
            return;
        }
        prunedNanos = nanos;
        boolean unused = database.write(client -> {
            table.prune(client, now - KEPT.toMillis());
            silences.prune(client, now - KEPT.toMillis());
            return true;
        });
    }

    /** Returns the pending and firing alerts, and the alerts that were resolved within a day, newest first. */
    List<AlertReply> list() {
        long now = now();
        List<Silence> quiet = new ArrayList<>();
        Map<Long, Alert> stored = new HashMap<>();
        boolean unused = database.read(client -> read(client, now, quiet, stored));
        List<Alert> pending = new ArrayList<>();
        synchronized (this) {
            for (Alert alert : active.values()) {
                if (alert.id() == 0) {
                    pending.add(alert);
                } else if (isFiring(stored.get(alert.id()))) {
                    // The leader knows the newest numbers.
                    stored.put(alert.id(), alert);
                }
            }
        }
        URI center = address.get().orElse(URI.create(""));
        pending.addAll(stored.values());
        pending.sort(Comparator.comparingLong(Alert::since)
                .thenComparingLong(Alert::id)
                .reversed());
        return pending.stream()
                .map(alert -> AlertReply.of(
                        alert,
                        alert.state() != Alert.State.RESOLVED
                                && quiet.stream().anyMatch(each -> each.covers(alert, now)),
                        center))
                .toList();
    }

    private boolean read(JdbcClient client, long now, List<Silence> quiet, Map<Long, Alert> stored) {
        quiet.clear();
        stored.clear();
        quiet.addAll(silences.active(client, now));
        table.firing(client).forEach(alert -> stored.put(alert.id(), alert));
        table.resolved(client, now - RECENT_MILLIS, MOST_RESOLVED).forEach(alert -> stored.put(alert.id(), alert));
        return true;
    }

    private static boolean isFiring(@Nullable Alert alert) {
        return alert != null && alert.state() == Alert.State.FIRING;
    }

    AlertBook book() {
        return book;
    }

    List<DestinationReply> destinations() {
        return destinations.states();
    }

    /** Returns the problems that keep alerts from being shown or sent, as sentences. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>(destinations.problems());
        if (isFull) {
            problems.add("there are too many alerts; of one rule " + MOST_OF_RULE + " are shown, and " + MOST_ACTIVE
                    + " of all");
        }
        return problems;
    }

    /** Returns milliseconds since 1970. */
    long now() {
        return clock.epochMicros() / 1000;
    }

    @Override
    public void close() {
        destinations.close();
    }
}
