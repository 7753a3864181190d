package io.sluice.rules.redis;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.TrialPointer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Releases rules to the nodes of a Redis. After the first release, the publisher owns that Redis: nodes no longer read hashes
 * that others write. Calls wait for Redis and throw an unchecked exception if it is unavailable. Thread-safe, one release at a
 * time. If several publishers release at the same time, one of them wins.
 *
 * <p>A release takes effect in one atomic step. First the snapshot is written, under a version that was never used before. Then
 * the version key is switched to it, provided that it still has the expected value. A publisher that stops in between has
 * released nothing. The mirror of the rules in hashes, the message to nodes and the removal of old snapshots come later and can
 * be repeated ({@link #mirror}).
 */
public final class RedisRulePublisher implements AutoCloseable {

    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(10);

    /** Snapshots of this many versions are kept: for rollbacks, and for nodes that are still reading. */
    private static final int KEPT = 20;

    private static final int MIRRORED_AT_MOST = 5;
    static final int ALL = 100;

    private final Supplier<RuleStore> stores;
    private final Claim claim;
    private final Runnable closing;

    RedisRulePublisher(Supplier<RuleStore> stores, Runnable closing) {
        this(stores, Claim.none(), closing);
    }

    private RedisRulePublisher(Supplier<RuleStore> stores, Claim claim, Runnable closing) {
        this.stores = stores;
        this.claim = claim;
        this.closing = closing;
    }

    /**
     * Creates a publisher. It connects on first use.
     *
     * @param uri the address, in the form that {@link RedisDocuments#at} accepts
     * @throws IllegalArgumentException if the URI is invalid
     */
    public static RedisRulePublisher connect(String uri) {
        RuleServer server = RuleServer.at(uri, ANSWER_MAY_TAKE);
        Claim claim = Claim.none();
        Lines lines = new Lines(server, claim);
        return new RedisRulePublisher(lines, claim, lines::close);
    }

    /**
     * Writes for a center from now on: nothing that it writes replaces what the leader of a later term wrote, however late it arrives. All
     * calls that write then throw a {@link NewerLeaderException} if there is a later term.
     *
     * @param term the term of the leading center; 0 for other programs
     */
    public synchronized void lead(long term) {
        claim.lead(term);
    }

    /** Returns the release that is in force for all nodes, without its rules; empty if nothing was released. */
    public synchronized Optional<Release> current() {
        RuleStore store = stores.get();
        return named(store).map(now -> new Release(now.version(), digest(store, now.version()), ALL, Optional.empty()));
    }

    /** Returns the rules of a version, as long as its snapshot is kept. */
    public synchronized RuleSet rules(long version) {
        return rules(stores.get(), version);
    }

    /** Releases rules to all nodes, under the next version. This ends a trial. */
    public synchronized Release release(List<Rule> rules) throws ReleaseConflictException {
        return release(stores.get(), 0, rules);
    }

    /**
     * Releases rules to all nodes.
     *
     * @param version higher than every version before
     */
    public synchronized Release release(long version, List<Rule> rules) throws ReleaseConflictException {
        if (version < 1) {
            throw new IllegalArgumentException("version: " + version + " (expected: at least 1)");
        }
        return release(stores.get(), version, rules);
    }

    /**
     * Lets some of the nodes or callers try a version. Any later release ends the trial. Repeating the call changes nothing.
     *
     * @param trial the rules of the trial. Their version is higher than every version before, or the version on trial now
     * @param scope the callers of the trial. A trial can grow but not shrink, and no caller can change sides
     */
    public synchronized Release trial(RuleSet trial, TrialScope scope) throws ReleaseConflictException {
        RuleStore store = stores.get();
        VersionPointer now = named(store)
                .orElseThrow(() ->
                        new IllegalStateException("trial: no rules in force (expected: a release to all nodes first)"));
        boolean running = now.trial().isPresent() && now.highest() == trial.version();
        requireUsable(trial.rules(), trial.version(), running ? trial.version() - 1 : now.highest());
        now.trial().ifPresent(tried -> requireWider(tried, trial.version(), scope));
        VersionPointer next = new VersionPointer(now.version(), Optional.of(new TrialPointer(trial.version(), scope)));
        requireShort(next);
        int share = scope instanceof TrialScope.Nodes nodes ? nodes.percent() : ALL;
        RuleSet set = written(store, trial, share, true);
        return next.equals(now)
                ? new Release(set.version(), set.digest(), share, Optional.empty())
                : told(flip(store, Optional.of(now), next), set, share);
    }

    /**
     * Releases the version on trial to all callers. Repeating the call changes nothing.
     *
     * @throws ReleaseConflictException if another version is on trial or in force
     */
    public synchronized Release promote(long version) throws ReleaseConflictException {
        RuleStore store = stores.get();
        Optional<VersionPointer> now = named(store);
        VersionPointer promoted = VersionPointer.of(version);
        if (now.equals(Optional.of(promoted))) {
            return new Release(version, digest(store, version), ALL, Optional.empty());
        }
        if (now.flatMap(VersionPointer::trial)
                .filter(tried -> tried.version() == version)
                .isEmpty()) {
            throw new ReleaseConflictException("trial: "
                    + now.flatMap(VersionPointer::trial)
                            .map(tried -> "version " + tried.version())
                            .orElse("none")
                    + " (expected: version " + version + " on trial)");
        }
        RuleSet rules = rules(store, version);
        return finished(flip(store, now, promoted), rules);
    }

    /**
     * Puts adjustments in force on top of whatever versions are. Repeating the call changes nothing.
     *
     * @throws IllegalArgumentException if Redis has a higher revision
     */
    public synchronized void adjust(Adjustments adjustments) {
        RuleStore store = stores.get();
        String text = adjustments.toJson();
        if (store.adjustments().equals(Optional.of(text))) {
            return;
        }
        if (!store.adjust(text, adjustments.revision())) {
            throw new IllegalArgumentException("revision: " + adjustments.revision()
                    + " (expected: above that of the adjustments in Redis; an older one never replaces a newer one)");
        }
        store.tell(RuleStore.RELOAD_ALL);
    }

    /** Returns the text of the adjustments in Redis, whether it can be read or not; empty if there is none. */
    public synchronized Optional<String> adjustments() {
        return stores.get().adjustments();
    }

    /** Returns the text of the version key, whether it can be read or not; empty if nothing was released. */
    public synchronized Optional<String> pointer() {
        return stores.get().version().map(text -> new String(text, StandardCharsets.UTF_8));
    }

    /** Returns the text of the version key while a version is in force for all callers. */
    public static String pointer(long version) {
        return VersionPointer.of(version).toString();
    }

    /** Returns the text of the version key during a trial. */
    public static String pointer(long version, long trial, TrialScope scope) {
        return new VersionPointer(version, Optional.of(new TrialPointer(trial, scope))).toString();
    }

    /** Releases the rules of an earlier version again, under the next version. Works as long as its snapshot is kept. */
    public synchronized Release rollBack(long version) throws ReleaseConflictException {
        RuleStore store = stores.get();
        return release(store, 0, rules(store, version).rules());
    }

    /** Returns the highest version that the version key names, in force or on trial; 0 if nothing was released. */
    public synchronized long highest() {
        return named(stores.get()).map(VersionPointer::highest).orElse(0L);
    }

    /** Returns the hashes that differ from the rules in force, one sentence each; empty if there are none. */
    public synchronized List<String> drift() {
        RuleStore store = stores.get();
        Optional<VersionPointer> now = named(store);
        return now.isEmpty()
                ? List.of()
                : Mirror.drift(store, rules(store, now.get().version()).rules());
    }

    /**
     * Makes Redis hold the rules of a center, and writes again what was lost or changed. Rules that something else released are not
     * replaced. Repeating the call changes nothing.
     *
     * @param last what Redis held after the last call; empty before the first one
     * @param running whether a node runs a version
     * @param thorough whether to read snapshots completely, or only their beginnings
     */
    public synchronized KeptRules keep(
            WantedRules wanted, Optional<WantedRules> last, LongPredicate running, boolean thorough) {
        for (RuleSet set : wanted.sets()) {
            requireFew(set.rules());
        }
        RuleStore store = stores.get();
        if (wanted.inForce().version() != 0) {
            // Before anything is read, so that what is read cannot be changed by an earlier leader.
            store.claim();
        }
        Upkeep upkeep = new Upkeep(store, wanted, last, thorough);
        Optional<KeptRules.Obstacle> obstacle = Optional.empty();
        Optional<String> trouble = Optional.empty();
        try {
            if (upkeep.attempt(running)) {
                trouble = trouble(null, () -> mirror(store));
                trouble = trouble(
                        trouble.orElse(null),
                        () -> prune(store, wanted.inForce().version()));
            }
        } catch (Upkeep.ObstacleException e) {
            obstacle = Optional.of(e.obstacle());
        }
        return new KeptRules(
                obstacle, upkeep.repaired(), upkeep.foreign(), trouble.isPresent(), upkeep.higherRevision());
    }

    /**
     * Returns the highest version in Redis that a center must not replace; 0 if there is none.
     *
     * @param running whether a node runs a version
     */
    public synchronized long foreignVersion(WantedRules wanted, LongPredicate running) {
        return new Upkeep(stores.get(), wanted, Optional.empty(), false).foreignVersion(running);
    }

    /** Writes the hashes of released rules again that were lost or changed, and finds those that something else wrote. */
    public synchronized KeptRules keepMirror(List<Rule> rules) {
        return Mirror.repair(stores.get(), rules);
    }

    /** Rewrites the hashes of the rules in force, in case something else wrote to them. */
    public synchronized void mirror() {
        mirror(stores.get());
    }

    @Override
    public synchronized void close() {
        closing.run();
    }

    /** A node that has tried a version for all its callers cannot go back to a lower one. */
    private static void requireWider(TrialPointer tried, long version, TrialScope scope) {
        boolean again = tried.version() == version || tried.scope() instanceof TrialScope.Nodes;
        if (again && !TrialPointer.covers(scope, tried.scope())) {
            throw new IllegalArgumentException("trial: " + new TrialPointer(version, scope).who()
                    + " (expected: those of the trial of version " + tried.version() + ", " + tried.who()
                    + ", or more; a trial cannot shrink or change sides, release to all nodes to end it)");
        }
    }

    private static void requireShort(VersionPointer pointer) {
        int length = pointer.toString().length();
        if (length > VersionPointer.LONGEST) {
            throw new IllegalArgumentException(
                    "trial: " + length + " characters (expected: at most " + VersionPointer.LONGEST + ")");
        }
    }

    private static void requireUsable(List<Rule> rules, long version, long highest) throws ReleaseConflictException {
        requireFew(rules);
        if (version <= highest) {
            throw new ReleaseConflictException("version: " + version + " (expected: above " + highest + ")");
        }
        if (version > VersionPointer.HIGHEST) {
            throw new IllegalArgumentException(
                    "version: above " + VersionPointer.HIGHEST + " (expected: at most that number)");
        }
    }

    private static void requireFew(List<Rule> rules) {
        if (rules.size() > RuleStore.MOST_RULES) {
            throw new IllegalArgumentException(
                    "rules: " + rules.size() + " (expected: at most " + RuleStore.MOST_RULES + ")");
        }
    }

    /** @param wanted the version; 0 for the next one */
    private Release release(RuleStore store, long wanted, List<Rule> rules) throws ReleaseConflictException {
        Optional<VersionPointer> now = named(store);
        long highest = now.map(VersionPointer::highest).orElse(0L);
        long version = wanted == 0 ? highest + 1 : wanted;
        requireUsable(rules, version, highest);
        RuleSet set = written(store, new RuleSet(version, rules), ALL, wanted != 0);
        // The loser leaves its snapshot in place, because another publisher of the same rules under this version may
        // be switching to it.
        RuleStore after = flip(store, now, VersionPointer.of(set.version()));
        return finished(after, set);
    }

    /**
     * Writes the snapshot. If a snapshot of this version exists, its publisher has stopped or is about to switch to it. Then the
     * next version is used.
     */
    private static RuleSet written(RuleStore store, RuleSet rules, int share, boolean exactly)
            throws ReleaseConflictException {
        RuleSet set = rules;
        while (!store.write(set.version(), Snapshots.bytes(set, share))) {
            if (exactly) {
                if (Snapshots.read(store, set.version()) instanceof Reading.Found found
                        && found.rules().digest().equals(set.digest())) {
                    return set;
                }
                throw new ReleaseConflictException(
                        "version: " + set.version() + " (expected: another version; this one exists with other rules)");
            }
            set = set.numbered(set.version() + 1);
        }
        return set;
    }

    /** Switches to the version. Returns the store to continue with, which is a new one if the answer was lost. */
    private RuleStore flip(RuleStore store, Optional<VersionPointer> now, VersionPointer next)
            throws ReleaseConflictException {
        String was = now.map(VersionPointer::toString).orElse("");
        boolean done;
        try {
            done = store.flip(was.getBytes(StandardCharsets.UTF_8), next.toString());
        } catch (RuntimeException e) {
            return named(next, e);
        }
        if (!done) {
            throw new ReleaseConflictException("version: another release came first (expected: still "
                    + (was.isEmpty() ? "none" : was) + "; review the new release and try again)");
        }
        return store;
    }

    /** Finds out whether a switch without an answer took effect. If it did not, or if that is unknown, throws the failure. */
    private RuleStore named(VersionPointer next, RuntimeException failure) {
        try {
            RuleStore store = stores.get();
            if (named(store).equals(Optional.of(next))) {
                return store;
            }
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
        throw failure;
    }

    private Release told(RuleStore store, RuleSet rules, int share) {
        return new Release(
                rules.version(), rules.digest(), share, trouble(null, () -> store.tell(RuleStore.RELOAD_ALL)));
    }

    private Release finished(RuleStore store, RuleSet rules) {
        Optional<String> trouble = trouble(null, () -> store.tell(RuleStore.RELOAD_ALL));
        trouble = trouble(trouble.orElse(null), () -> mirror(store));
        trouble = trouble(trouble.orElse(null), () -> prune(store, rules.version()));
        return new Release(rules.version(), rules.digest(), ALL, trouble);
    }

    private static Optional<String> trouble(@Nullable String before, Runnable step) {
        try {
            step.run();
            return Optional.ofNullable(before);
        } catch (NewerLeaderException e) {
            throw e;
        } catch (RuntimeException e) {
            return Optional.of(before == null ? String.valueOf(e.getMessage()) : before);
        }
    }

    /** Repeats until the mirror shows the rules in force, because another publisher may release and mirror at the same time. */
    private static void mirror(RuleStore store) {
        for (int i = 0; i < MIRRORED_AT_MOST; i++) {
            Optional<VersionPointer> now = named(store);
            if (now.isEmpty()) {
                return;
            }
            var hashes = Mirror.of(rules(store, now.get().version()).rules());
            store.mirror(hashes);
            store.remove(store.keys(RuleStore.HASH, Integer.MAX_VALUE).stream()
                    .filter(key -> !hashes.containsKey(key))
                    .toList());
            if (named(store).map(VersionPointer::version).equals(now.map(VersionPointer::version))) {
                return;
            }
        }
    }

    private static void prune(RuleStore store, long version) {
        store.remove(store.keys(RuleStore.SNAPSHOT, Integer.MAX_VALUE).stream()
                .filter(key -> isOlder(key.substring(RuleStore.SNAPSHOT.length()), version - KEPT))
                .toList());
    }

    private static boolean isOlder(String number, long than) {
        return number.matches("[1-9][0-9]{0,14}") && Long.parseLong(number) <= than;
    }

    private static Optional<VersionPointer> named(RuleStore store) {
        return store.version().map(text -> VersionPointer.parse(text)
                .orElseThrow(() -> new IllegalStateException(RuleStore.VERSION + ": \""
                        + HashReply.printable(new String(text, StandardCharsets.ISO_8859_1))
                        + "\" (expected: a number, such as 12)")));
    }

    private static String digest(RuleStore store, long version) {
        return RuleSetText.stamp(store.part(version, 0, RuleSetText.LONGEST_HEAD))
                .map(RuleStamp::digest)
                .orElseThrow(() -> new IllegalStateException(
                        RuleStore.SNAPSHOT + version + ": missing or unreadable (expected: version, digest, rules)"));
    }

    private static RuleSet rules(RuleStore store, long version) {
        Reading reading = Snapshots.read(store, version);
        if (reading instanceof Reading.Found found) {
            return found.rules();
        }
        throw new IllegalStateException(
                ((Reading.Unusable) reading).errors().get(0).toString());
    }

    /**
     * Opens a new connection for each call. Releases are rare, and a connection to a Cluster may be partly broken without any
     * sign of it.
     */
    private static final class Lines implements Supplier<RuleStore> {

        private final RuleServer server;
        private final Claim claim;
        private @Nullable RuleLine line;

        Lines(RuleServer server, Claim claim) {
            this.server = server;
            this.claim = claim;
        }

        @Override
        public RuleStore get() {
            drop();
            RuleLine open = server.open(ANSWER_MAY_TAKE, claim);
            line = open;
            return open.store();
        }

        void close() {
            drop();
            server.close();
        }

        private void drop() {
            RuleLine open = line;
            line = null;
            if (open != null) {
                open.close();
            }
        }
    }
}
