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
 * Remembers who the callers are that this process refused, so that it can answer questions of its center, which knows only their hashes.
 * In memory only, for at most a day, and bounded: the callers whose last refusal is the longest ago are forgotten first. Thread-safe. It
 * has no text form that shows a caller.
 */
final class KnownCallers implements ErasableStore {

    /** The maximum number of hashes. One caller may have several, such as that of its address and that of its name. */
    static final int MOST = 10_000;

    /** All attributes have at most this many characters together. */
    private static final int MOST_CHARACTERS = 8_000_000;

    /** The attributes of one request have at most this many characters. Others are left out. */
    private static final int LONGEST = 4_000;

    private static final Duration KEPT = Duration.ofDays(1);

    /** These come first if a request has too many characters. */
    private static final List<String> IMPORTANT = List.of("ip", "user", "tenant", "service", "method", "path", "host");

    private final Clock clock;
    private final CallerKeys keys;

    // Guarded by this. The caller that was refused last is at the end.
    private final Map<String, Known> byHash = new LinkedHashMap<>();
    private long characters;

    /**
     * A request that was refused.
     *
     * @param names the attributes that tell who the caller is
     * @param characters of all attributes
     */
    record Known(Attributes request, Set<String> names, int characters, long sinceNanos) {

        /** The attributes tell who the caller is. */
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
     * @param hashes of the caller, and of some of its attributes
     * @param names the attributes that tell who the caller is
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

    /** Returns the last refused request of a caller; empty if this process does not know it, or knows it no longer. */
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

    /** Returns how many hashes are known. */
    synchronized int size() {
        return byHash.size();
    }

    @Override
    public String kind() {
        return "refused_callers";
    }

    /** Removes requests that have the subject in any attribute. */
    @Override
    public Attempt erase(String erasure, SubjectKeys subject) {
        Map<String, Known> all;
        synchronized (this) {
            all = new LinkedHashMap<>(byHash);
        }
        // Several hashes share one request, and comparing takes a while.
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

    /** Keeps what tells who the caller is, then what most rules match, then whatever fits. */
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
