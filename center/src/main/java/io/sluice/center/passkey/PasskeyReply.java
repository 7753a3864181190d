package io.sluice.center.passkey;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A passkey, as its owner sees it.
 *
 * @param backedUp whether its authenticator keeps a copy elsewhere, so that it survives the loss of the device
 */
public record PasskeyReply(
        long id, String label, Instant createdAt, @Nullable Instant lastUsedAt, boolean backedUp) {

    static PasskeyReply of(Passkey passkey) {
        return new PasskeyReply(
                passkey.id(),
                passkey.label(),
                Instant.ofEpochMilli(passkey.createdAt()),
                passkey.usedAt() == 0 ? null : Instant.ofEpochMilli(passkey.usedAt()),
                passkey.credential().isBackupState());
    }
}
