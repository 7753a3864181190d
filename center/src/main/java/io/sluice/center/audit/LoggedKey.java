package io.sluice.center.audit;

import io.sluice.runtime.witness.KeyChange;
import io.sluice.runtime.witness.LogKey;
import java.util.Optional;

/**
 * A public key of the log, with the signature of the key before it.
 *
 * @param before the id of the key before; empty for the first key
 * @param signature of the change, by the key before; empty for the first key
 * @param atMillis since when, in milliseconds since 1970
 */
public record LoggedKey(LogKey key, String before, String signature, long atMillis) {

    /**
     * Returns the change from the key before; empty for the first key.
     *
     * @throws IllegalArgumentException if the text of the key before or of the signature is malformed
     */
    public Optional<KeyChange> change(String log) {
        return before.isEmpty() ? Optional.empty() : Optional.of(new KeyChange(log, before, key, signature));
    }
}
