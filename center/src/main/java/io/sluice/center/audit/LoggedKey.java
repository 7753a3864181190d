package io.sluice.center.audit;

import io.sluice.runtime.witness.KeyChange;
import io.sluice.runtime.witness.LogKey;
import java.util.Optional;

/**
 * A public key of the log with the signature of the previous key.
 *
 * @param before the id of the previous key; empty for the first key
 * @param signature the previous key's signature of the change; empty for the first key
 * @param atMillis the time since when the key is in use, in milliseconds since 1970
 */
public record LoggedKey(LogKey key, String before, String signature, long atMillis) {

    /**
     * Returns the change from the previous key; empty for the first key.
     *
     * @throws IllegalArgumentException if the text of the previous key or of the signature is malformed
     */
    public Optional<KeyChange> change(String log) {
        return before.isEmpty() ? Optional.empty() : Optional.of(new KeyChange(log, before, key, signature));
    }
}
