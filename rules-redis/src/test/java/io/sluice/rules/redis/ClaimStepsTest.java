package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A later leader claims a Cluster between any two steps of an earlier one. */
class ClaimStepsTest {

    private static final String KEY = "rate_limit_config:a";

    /** A Cluster in which each key is in a slot of its own. */
    private static final class Slots implements Claim.Places {

        private final Map<String, String> claims = new TreeMap<>();

        /** Before which step the later leader claims; negative for never. */
        private int stepsLeft;

        private Runnable laterLeader = () -> {};

        private void step() {
            if (stepsLeft-- == 0) {
                laterLeader.run();
            }
        }

        @Override
        public String of(String key) {
            return "place of " + key;
        }

        @Override
        public Collection<String> existing() {
            step();
            return List.copyOf(claims.keySet());
        }

        @Override
        public Optional<String> claim(Collection<String> places, String claim) {
            step();
            Optional<String> later = Optional.empty();
            for (String place : places) {
                // Terms and numbers of one digit have the order of their texts.
                if (claims.getOrDefault(place, "").compareTo(claim) > 0) {
                    later = Optional.of(claims.get(place));
                } else {
                    claims.put(place, claim);
                }
            }
            return later;
        }
    }

    @Test
    void theEarlierLeaderWritesNowhereAfterThat() {
        for (boolean hasWritten : new boolean[] {true, false}) {
            boolean isUnderWay = true;
            for (int step = 0; isUnderWay; step++) {
                Slots slots = new Slots();
                slots.stepsLeft = -1;
                Claim earlier = leader(7);
                if (hasWritten) {
                    earlier.make(slots, List.of(KEY));
                }
                slots.laterLeader = () -> leader(8).make(slots, List.of());
                slots.stepsLeft = step;
                boolean mayWrite = true;
                try {
                    earlier.make(slots, List.of(KEY, "other"));
                } catch (NewerLeaderException e) {
                    mayWrite = false;
                }
                isUnderWay = slots.stepsLeft < 0;
                if (!isUnderWay) {
                    slots.laterLeader.run();
                }
                for (String key : List.of(KEY, "other")) {
                    boolean isWritten = mayWrite && earlier.text().equals(slots.claims.get(slots.of(key)));
                    assertThat(isWritten)
                            .as("%s, step %s, %s", hasWritten, step, key)
                            .isFalse();
                }
            }
        }
    }

    private static Claim leader(long term) {
        Claim claim = Claim.none();
        claim.lead(term);
        return claim;
    }
}
