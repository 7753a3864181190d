package io.sluice.spring.boot.store;

/**
 * Where the shared counts are.
 *
 * @param uri may hold a password
 * @param from the property, or whatever else, that said so
 */
public record StoreAddress(String uri, String from) {

    /** For the eyes of people. */
    public String shown() {
        return uri.replaceAll("//[^/]*@", "//***@");
    }

    /**
     * The failure of a start with this address.
     *
     * @param refused whose message shows no password
     */
    public SluiceStartException unreadable(IllegalArgumentException refused) {
        return new SluiceStartException(
                from + ": " + refused.getMessage(),
                "Correct it, or set sluice.redis.enabled=false to limit in this process alone.");
    }

    @Override
    public String toString() {
        return shown();
    }
}
