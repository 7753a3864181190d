package io.sluice.center.release;

import java.util.List;
import java.util.Optional;

/**
 * The state of Redis, as far as this center knows.
 *
 * @param version the released version in Redis; 0 if unknown
 * @param highest the highest version that Redis ever had
 * @param problem the reason why Redis cannot be brought to the released version
 * @param drift keys that something else wrote to, including keys that were repaired recently
 */
public record PublicationState(
        long version, String digest, long highest, Optional<String> problem, List<String> drift) {

    static final PublicationState UNKNOWN = new PublicationState(0, "", 0, Optional.empty(), List.of());

    public PublicationState {
        drift = List.copyOf(drift);
    }

    PublicationState with(List<String> other) {
        return new PublicationState(version, digest, highest, problem, other);
    }
}
