package io.sluice.rules.redis;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Releases rules to the nodes of a Redis, which then belongs to whoever does: nodes no longer take hashes that others write. Calls wait
 * for Redis and throw an unchecked exception if it is away. Safe for use by many threads, one release at a time; of several
 * publishers that release at once one wins.
 *
 * <p>A release is in force in one step: the snapshot is written first, under a number that nothing else ever had, then the version is named,
 * if it still is what it was. Whoever stops in between has released nothing. The mirror of the rules in hashes, the message to nodes
 * and the removal of old snapshots come after that, and can be done again ({@link #mirror}).
 */
public final class RedisRulePublisher implements AutoCloseable {

    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(10);

    /** So many numbers back, snapshots stay: for rollbacks, and for nodes that are reading. */
    private static final int KEPT = 20;

    private static final int MIRRORED_AT_MOST = 5;
    private static final int ALL = 100;

    private final Supplier<RuleStore> stores;
    private final Runnable closing;

    RedisRulePublisher(Supplier<RuleStore> stores, Runnable closing) {
        this.stores = stores;
        this.closing = closing;
    }

    /**
     * A publisher; connects when it is first used.
     *
     * @param uri as {@link RedisRuleSource#open} reads it
     * @throws IllegalArgumentException if the URI cannot be read
     */
    public static RedisRulePublisher connect(String uri) {
        RuleServer server = RuleServer.at(uri, ANSWER_MAY_TAKE);
        Lines lines = new Lines(server);
        return new RedisRulePublisher(lines, lines::close);
    }

    /** What all nodes are to have, without its rules; empty if nothing was released. */
    public synchronized Optional<Release> current() {
        RuleStore store = stores.get();
        return named(store).map(now -> new Release(now.version(), digest(store, now.version()), ALL, Optional.empty()));
    }

    /** The rules of a version, while its snapshot is kept. */
    public synchronized RuleSet rules(long version) {
        return rules(stores.get(), version);
    }

    /** Releases rules to all nodes, under the next number; a trial ends. */
    public synchronized Release release(List<Rule> rules) throws ReleaseConflictException {
        return release(stores.get(), 0, rules, ALL);
    }

    /**
     * Releases rules to all nodes.
     *
     * @param version higher than every one before
     */
    public synchronized Release release(long version, List<Rule> rules) throws ReleaseConflictException {
        if (version < 1) {
            throw new IllegalArgumentException("version: " + version + " (expected: at least 1)");
        }
        return release(stores.get(), version, rules, ALL);
    }

    /**
     * Releases rules to a share of the nodes, under the next number. {@link #widen} gives them to more, {@link #promote} to all, and
     * any other release for all ends it.
     *
     * @param sharePercent 1 to 99
     */
    public synchronized Release trial(List<Rule> rules, int sharePercent) throws ReleaseConflictException {
        requireShare(sharePercent);
        RuleStore store = stores.get();
        VersionPointer now = named(store)
                .orElseThrow(() ->
                        new IllegalStateException("trial: nothing is in force (expected: a release for all before)"));
        now.trial().ifPresent(trial -> requireWider(trial, sharePercent));
        return release(store, 0, rules, sharePercent);
    }

    /** Gives the version on trial to a larger share of the nodes. */
    public synchronized Release widen(int sharePercent) throws ReleaseConflictException {
        requireShare(sharePercent);
        RuleStore store = stores.get();
        VersionPointer now = tried(store);
        VersionPointer.Trial trial = now.trial().orElseThrow();
        requireWider(trial, sharePercent);
        VersionPointer next =
                new VersionPointer(now.version(), Optional.of(new VersionPointer.Trial(trial.version(), sharePercent)));
        RuleSet rules = rules(store, trial.version());
        return told(flip(store, now.toString(), next), rules, sharePercent);
    }

    /** Gives the version on trial to all nodes. */
    public synchronized Release promote() throws ReleaseConflictException {
        RuleStore store = stores.get();
        VersionPointer now = tried(store);
        RuleSet rules = rules(store, now.trial().orElseThrow().version());
        return finished(flip(store, now.toString(), VersionPointer.of(rules.version())), rules);
    }

    /** Releases the rules of an earlier version again, under the next number; while its snapshot is kept. */
    public synchronized Release rollBack(long version) throws ReleaseConflictException {
        RuleStore store = stores.get();
        return release(store, 0, rules(store, version).rules(), ALL);
    }

    /** Writes the hashes of the rules in force again, where something else wrote to them. */
    public synchronized void mirror() {
        mirror(stores.get());
    }

    @Override
    public synchronized void close() {
        closing.run();
    }

    private static void requireShare(int percent) {
        if (percent < 1 || percent >= ALL) {
            throw new IllegalArgumentException("share: " + percent + " (expected: 1..99, in percent)");
        }
    }

    private static void requireWider(VersionPointer.Trial trial, int percent) {
        if (percent < trial.sharePercent()) {
            throw new IllegalArgumentException("share: " + percent + " (expected: at least " + trial.sharePercent()
                    + ", nodes do not go back; to end a trial, release for all)");
        }
    }

    private Release release(RuleStore store, long wanted, List<Rule> rules, int share) throws ReleaseConflictException {
        if (rules.size() > RuleStore.MOST_RULES) {
            throw new IllegalArgumentException(
                    "rules: " + rules.size() + " (expected: at most " + RuleStore.MOST_RULES + ")");
        }
        Optional<VersionPointer> now = named(store);
        long highest = now.map(VersionPointer::highest).orElse(0L);
        if (wanted != 0 && wanted <= highest) {
            throw new ReleaseConflictException("version: " + wanted + " (expected: above " + highest + ")");
        }
        if (Math.max(wanted, highest + 1) > VersionPointer.HIGHEST) {
            throw new IllegalArgumentException(
                    "version: above " + VersionPointer.HIGHEST + " (expected: at most that)");
        }
        RuleSet set = written(store, new RuleSet(wanted == 0 ? highest + 1 : wanted, rules), share, wanted != 0);
        VersionPointer next = share == ALL
                ? VersionPointer.of(set.version())
                : new VersionPointer(
                        now.orElseThrow().version(), Optional.of(new VersionPointer.Trial(set.version(), share)));
        // Whoever loses leaves its snapshot: another who releases the same under this number may be naming it.
        RuleStore after = flip(store, now.map(VersionPointer::toString).orElse(""), next);
        return share == ALL ? finished(after, set) : told(after, set, share);
    }

    /** A number whose snapshot is there was taken by somebody who stopped, or is just about to name it: so the next is taken. */
    private static RuleSet written(RuleStore store, RuleSet rules, int share, boolean exactly)
            throws ReleaseConflictException {
        RuleSet set = rules;
        while (!store.write(set.version(), Snapshots.bytes(set, share))) {
            if (exactly) {
                if (Snapshots.read(store, set.version()) instanceof Reading.Found found
                        && found.rules().digest().equals(set.digest())
                        && found.rules().releasedTo().equals(OptionalInt.of(share))) {
                    return set;
                }
                throw new ReleaseConflictException(
                        "version: " + set.version() + " (expected: another, this one has other rules)");
            }
            set = set.numbered(set.version() + 1);
        }
        return set;
    }

    /** Names the version; gives back what to go on with, which is another store if the answer of this one was lost. */
    private RuleStore flip(RuleStore store, String was, VersionPointer next) throws ReleaseConflictException {
        boolean done;
        try {
            done = store.flip(was, next.toString());
        } catch (RuntimeException e) {
            return named(next, e);
        }
        if (!done) {
            throw new ReleaseConflictException("version: something else was released meanwhile (expected: "
                    + (was.isEmpty() ? "none" : was) + "; look at it and release again)");
        }
        return store;
    }

    /** Finds out whether a step was done of which no answer came; if not, or if nobody can tell, that is what is thrown. */
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
        } catch (RuntimeException e) {
            return Optional.of(before == null ? String.valueOf(e.getMessage()) : before);
        }
    }

    /** Until what is mirrored is what is in force: somebody may release meanwhile, and mirror too. */
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

    private static VersionPointer tried(RuleStore store) {
        return named(store)
                .filter(now -> now.trial().isPresent())
                .orElseThrow(() -> new IllegalStateException("trial: none (expected: a version on trial)"));
    }

    private static String digest(RuleStore store, long version) {
        return RuleSetText.stamp(store.part(version, 0, RuleSetText.LONGEST_HEAD))
                .map(RuleStamp::digest)
                .orElseThrow(() -> new IllegalStateException(
                        RuleStore.SNAPSHOT + version + ": unreadable (expected: version, digest and rules)"));
    }

    private static RuleSet rules(RuleStore store, long version) {
        Reading reading = Snapshots.read(store, version);
        if (reading instanceof Reading.Found found) {
            return found.rules();
        }
        throw new IllegalStateException(
                ((Reading.Unusable) reading).errors().get(0).toString());
    }

    /** A new line for each call: releases are rare, and a line to a Cluster may be broken in part without saying so. */
    private static final class Lines implements Supplier<RuleStore> {

        private final RuleServer server;
        private @Nullable RuleLine line;

        Lines(RuleServer server) {
            this.server = server;
        }

        @Override
        public RuleStore get() {
            drop();
            RuleLine open = server.open(ANSWER_MAY_TAKE);
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
