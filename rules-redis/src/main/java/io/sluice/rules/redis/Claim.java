package io.sluice.rules.redis;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The right of one center to write keys of a Redis, until another one makes a later claim. Survives connections. Not thread-safe.
 *
 * <p><b>Why a claim has a number beside the term of its leader.</b> A command without an answer may still arrive. After one, the same leader
 * claims again with the next number, so that it is not overtaken by itself.
 *
 * <p><b>Why a Cluster has many places.</b> A script reaches one slot only, so each slot with keys to write has a place for the claim. A
 * leader first claims the main place, then all places that exist. A place is made in three steps: claim it, confirm that the main place
 * still has the same claim, and only then write. If a step of an earlier leader arrives late, the next step of that leader is refused:
 * either its place existed when the later leader looked for places, or its confirmation comes after the later leader's claim.
 */
final class Claim {

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,15}) ([0-9]{1,15})\\b.*");

    /** The operations of a claim in Redis. */
    interface Places {

        /** Returns the place that protects a key. */
        String of(String key);

        /** Returns all places beside the main one that exist. */
        Collection<String> existing();

        /** Claims places. Returns a later claim that was found instead; empty if there is none. */
        Optional<String> claim(Collection<String> places, String claim);
    }

    private final String place;
    private final String main;
    private long term;
    private long number;
    private boolean isMade;
    private final Set<String> claimed = new HashSet<>();

    /**
     * @param place the key that holds the claim, or in a Cluster the prefix of such keys
     * @param main a key whose place is the main one
     */
    Claim(String place, String main) {
        this.place = place;
        this.main = main;
    }

    /** Returns the claim of a program that only reads, or that is not a center. */
    static Claim none() {
        return new Claim(RuleStore.TERM, RuleStore.VERSION);
    }

    String place() {
        return place;
    }

    /** Sets the term of the leader; 0 for a program that is not a center, whose writes are not compared. */
    void lead(long leading) {
        if (leading != term) {
            term = leading;
            number = 0;
            isMade = false;
        }
    }

    /** Forgets that the claim was made, because a command got no answer or the claim was lost. It is made again under the next number. */
    void doubt() {
        isMade = false;
    }

    /** Returns the text of the claim; empty without a term. */
    String text() {
        return term == 0 ? "" : term + " " + number;
    }

    /**
     * Makes sure that the keys may be written.
     *
     * @throws NewerLeaderException if a later term was claimed
     */
    void make(Places places, Collection<String> keys) {
        if (term == 0) {
            return;
        }
        if (!isMade) {
            number++;
            claimed.clear();
            claim(places, List.of(places.of(main)));
            claim(places, places.existing());
            isMade = true;
        }
        Set<String> missing = new TreeSet<>();
        keys.forEach(key -> missing.add(places.of(key)));
        missing.removeAll(claimed);
        if (!missing.isEmpty()) {
            claim(places, missing);
            claim(places, List.of(places.of(main)));
        }
    }

    private void claim(Places places, Collection<String> some) {
        Optional<String> later = places.claim(some, text());
        if (later.isPresent()) {
            refused(later.get());
        }
        claimed.addAll(some);
    }

    /**
     * Handles the answer that a later claim exists.
     *
     * @throws NewerLeaderException if the later claim has a later term
     * @throws IllegalStateException if the later claim has this term; the next attempt has a higher number
     */
    void refused(String later) {
        isMade = false;
        Matcher matcher = TEXT.matcher(later);
        long found = matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
        if (found > term) {
            throw new NewerLeaderException(found);
        }
        if (found == term) {
            number = Math.max(number, Long.parseLong(matcher.group(2)));
        }
        throw new IllegalStateException("Redis has a later claim of the same leader; it is claimed again");
    }
}
