package io.sluice.spring.boot.store;

import io.sluice.redis.RedisUri;

/**
 * The address of the Redis that holds the shared counts.
 *
 * @param uri the URI, which may contain a password
 * @param from the property or bean that configured it
 */
public record StoreAddress(String uri, String from) {

    /** Returns the URI without its secrets, for logs and messages. */
    public String shown() {
        return RedisUri.shown(uri);
    }

    /**
     * Returns the startup failure for an address that cannot be used.
     *
     * @param refused the cause; its message does not show the password
     */
    public SluiceStartException unreadable(IllegalArgumentException refused) {
        return new SluiceStartException(
                from + ": " + refused.getMessage(),
                "Correct it, or set sluice.redis.enabled=false to count in this process only.");
    }

    @Override
    public String toString() {
        return shown();
    }
}
