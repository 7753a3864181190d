package io.sluice.rules.caller;

/**
 * A caller, or one of its attributes, in a form for other people and processes. Immutable.
 *
 * @param masked a text that people may see, such as {@code u****86} or {@code 203.0.113.*}; empty under {@code privacy: hash}
 * @param hash the keyed hash, 43 characters, which is the same in all processes with the same secret
 */
public record CallerMark(String masked, String hash) {

    /** Returns the text for people: the masked text or, if there is none, the beginning of the hash. */
    public String shown() {
        return masked.isEmpty() ? "#" + hash.substring(0, Math.min(8, hash.length())) : masked;
    }
}
