package io.sluice.runtime.caller;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.CallerKey;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.pattern.Attributes;
import io.sluice.runtime.erasure.ErasableStore;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Remembers the identity of callers that this process refused, so that it can answer questions of its center, which knows only hashes.
 * Callers are kept in memory only, for at most a day, and their number is bounded: the caller whose last refusal is oldest is forgotten
 * first. Thread-safe. Its text form shows no caller.
 */
final class KnownCallers implements ErasableStore {

    /** The maximum number of hashes. One caller may have several, such as the hash of its address and the hash of its name. */
    static final int MOST = 10_000;

    /** The maximum number of characters of all attributes. */
    private static final int MOST_CHARACTERS = 8_000_000;

    /** The maximum number of characters of the attributes of one request. Attributes beyond it are left out. */
    private static final int LONGEST = 4_000;

    private static final Duration KEPT = Duration.ofDays(1);

    /** The attributes that are kept first if a request has too many characters. */
    private static final List<String> IMPORTANT = List.of("ip", "user", "tenant", "service", "method", "path", "host");

    private final Clock clock;
    private final CallerKeys keys;

    // Guarded by this. The caller that was refused last is at the end.
    private final Map<String, Known> byHash = new LinkedHashMap<>();
    private long characters;

    /**
     * A request that was refused.
     *
     * @param names the attributes that identify the caller
     * @param characters the number of characters of all attributes
     */
    record Known(Attributes request, Set<String> names, int characters, long sinceNanos) {

        /** The attributes identify the caller. */
        @Override
        public String toString() {
            return "Known(hidden)";
        }
    }

    KnownCallers(KeySettings settings, Clock clock) {
        this.keys = settings.keys();
        this.clock = clock;
    }

    /**
     * Remembers a caller.
     *
     * @param hashes the hashes of the caller and of some of its attributes
     * @param names the attributes that identify the caller
     */
    void add(Collection<String> hashes, Attributes request, Set<String> names) {
        int length = length(request);
        Attributes some = length > LONGEST ? cut(request, names) : request;
        Known known = new Known(some, Set.copyOf(names), length > LONGEST ? length(some) : length, clock.nanoTime());
        synchronized (this) {
            for (String hash : hashes) {
                Known before = byHash.remove(hash);
                characters += known.characters - (before == null ? 0 : before.characters);
                byHash.put(hash, known);
            }
            for (Iterator<Known> each = byHash.values().iterator();
                    byHash.size() > MOST || characters > MOST_CHARACTERS; ) {
                characters -= each.next().characters;
                each.remove();
            }
        }
    }

    /** Returns the last refused request of a caller; empty if this process never knew the caller or has forgotten it. */
    synchronized Optional<Known> find(String hash) {
        forgetOld();
        return Optional.ofNullable(byHash.get(hash));
    }

    /** Forgets callers whose last refusal is too long ago. */
    synchronized void forgetOld() {
        long now = clock.nanoTime();
        for (Iterator<Known> each = byHash.values().iterator(); each.hasNext(); ) {
            Known eldest = each.next();
            if (now - eldest.sinceNanos < KEPT.toNanos()) {
                return;
            }
            characters -= eldest.characters;
            each.remove();
        }
    }

    /** Returns the number of known hashes. */
    synchronized int size() {
        return byHash.size();
    }

    @Override
    public String kind() {
        return "refused_callers";
    }

    /** Removes the requests that have the subject in any attribute. */
    @Override
    public Attempt erase(String erasure, SubjectKeys subject) {
        Map<String, Known> all;
        synchronized (this) {
            all = new LinkedHashMap<>(byHash);
        }
        // Several hashes share one request, and a comparison takes a while.
        Set<Known> same = new HashSet<>();
        Set<Known> others = new HashSet<>();
        long removed = 0;
        for (Map.Entry<String, Known> each : all.entrySet()) {
            Known known = each.getValue();
            if (others.contains(known)) {
                continue;
            }
            if (same.contains(known) || isOf(subject, known.request)) {
                same.add(known);
                removed += remove(each.getKey(), known) ? 1 : 0;
            } else {
                others.add(known);
            }
        }
        return Attempt.done(removed);
    }

    private synchronized boolean remove(String hash, Known known) {
        boolean removed = byHash.remove(hash, known);
        characters -= removed ? known.characters : 0;
        return removed;
    }

    private boolean isOf(SubjectKeys subject, Attributes request) {
        for (String name : request.names()) {
            CallerKey key = keys.key(List.of(By.attribute(name)), AbsentPolicy.SHARE, Privacy.PLAIN, request);
            if (key instanceof CallerKey.Of of && subject.matches(of.text())) {
                return true;
            }
        }
        return false;
    }

    private static int length(Attributes request) {
        int length = 0;
        for (String name : request.names()) {
            length += length(request, name);
        }
        return length;
    }

    private static int length(Attributes request, String name) {
        String value = request.get(name);
        return name.length() + (value == null ? 0 : value.length());
    }

    /** Keeps the attributes that identify the caller, then those that most rules match, then any others that fit. */
    private static Attributes cut(Attributes request, Set<String> names) {
        Set<String> kept = new HashSet<>();
        int left = LONGEST;
        for (Collection<String> next : List.of(new TreeSet<>(names), IMPORTANT, new TreeSet<>(request.names()))) {
            for (String name : next) {
                int length = length(request, name);
                if (length <= left && request.get(name) != null && kept.add(name)) {
                    left -= length;
                }
            }
        }
        return request.only(kept);
    }

    @Override
    public String toString() {
        return "KnownCallers(hidden)";
    }
}
