package io.sluice.center.identity;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A sign-in that waits for the answer of an identity server.
 *
 * @param server the name of the server
 * @param redirectUri the address to which the answer is sent
 * @param next the path that the person requested
 * @param isFresh whether the person must prove their identity again
 */
record OidcCeremony(
        String server, String state, String nonce, String verifier, String redirectUri, String next, boolean isFresh) {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Omits the values that prove that an answer belongs to this sign-in. */
    @Override
    public String toString() {
        return "OidcCeremony[" + server + "]";
    }

    String write() {
        return JSON.writeValueAsString(this);
    }

    static OidcCeremony read(String text) {
        try {
            return JSON.readValue(text, OidcCeremony.class);
        } catch (JacksonException e) {
            throw new IllegalStateException("a stored sign-in cannot be read", e);
        }
    }
}
