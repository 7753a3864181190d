package io.sluice.center.passkey;

import org.springframework.security.web.webauthn.api.CredentialRecord;

/**
 * A passkey of an account.
 *
 * @param usedAt the time of the last use, in milliseconds since the epoch; 0 if it was never used
 */
record Passkey(long id, long account, CredentialRecord credential, long createdAt, long usedAt) {

    String label() {
        return credential.getLabel();
    }
}
