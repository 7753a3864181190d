package io.sluice.rules.adjust;

/** Names one caller of a limit. */
public sealed interface Caller {

    /**
     * The caller with a value of an attribute that the limit counts by.
     *
     * @param value the value as requests have it; an address or a CIDR block for {@code ip}
     */
    record ByValue(String attribute, String value) implements Caller {
        public ByValue {
            if (attribute.isEmpty() || value.isEmpty()) {
                throw new IllegalArgumentException("caller: empty (expected: an attribute and its value)");
            }
        }
    }

    /**
     * The caller with this keyed hash. The hash does not reveal the caller. It names a caller only in processes with the secret of the
     * hash.
     *
     * @param hash the 43 characters that {@code explain} and the lists of refused callers show
     */
    record ByHash(String hash) implements Caller {
        public ByHash {
            if (!hash.matches("[0-9A-Za-z_-]{43}")) {
                throw new IllegalArgumentException(
                        "hash: not a hash of a caller (expected: 43 letters, digits, - and _, as explain shows it)");
            }
        }
    }
}
