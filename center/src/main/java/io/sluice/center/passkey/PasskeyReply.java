package io.sluice.center.passkey;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A passkey in the view of its owner.
 *
 * @param restsAt the time at which the passkey is suspended unless its owner signs in through the identity server before; null if no such
 *     sign-in is needed
 * @param backedUp whether its authenticator keeps a copy elsewhere, so that it survives the loss of the device
 */
public record PasskeyReply(
        long id,
        String label,
        Instant createdAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant restsAt,
        boolean backedUp) {

    static PasskeyReply of(Passkey passkey, Optional<Instant> restsAt) {
        return new PasskeyReply(
                passkey.id(),
                passkey.label(),
                Instant.ofEpochMilli(passkey.createdAt()),
                passkey.usedAt() == 0 ? null : Instant.ofEpochMilli(passkey.usedAt()),
                restsAt.orElse(null),
                passkey.credential().isBackupState());
    }
}
