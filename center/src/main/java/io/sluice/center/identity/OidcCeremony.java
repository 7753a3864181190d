package io.sluice.center.identity;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A sign-in that waits for the answer of an identity server.
 *
 * @param server the name of the server that was asked
 * @param redirectUri where the answer goes
 * @param next the path that the person wanted to see
 * @param isFresh whether the person must prove anew who they are
 */
record OidcCeremony(
        String server, String state, String nonce, String verifier, String redirectUri, String next, boolean isFresh) {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Without what proves that an answer is for this sign-in. */
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
