package io.sluice.center.passkey;

import org.springframework.security.web.webauthn.api.CredentialRecord;

/**
 * A passkey of an account.
 *
 * @param usedAt when it was used last, in milliseconds since the epoch; 0 if never
 */
record Passkey(long id, long account, CredentialRecord credential, long createdAt, long usedAt) {

    String label() {
        return credential.getLabel();
    }
}
