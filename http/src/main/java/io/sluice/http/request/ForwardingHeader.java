package io.sluice.http.request;

import io.sluice.rules.yaml.PrintableText;
import java.util.Locale;

/** Headers in which proxies report the address of their caller. */
public enum ForwardingHeader {
    /** A list of addresses; each proxy appends the address of its caller. */
    X_FORWARDED_FOR("x-forwarded-for"),
    /** The same information with names and quotes, RFC 7239. */
    FORWARDED("forwarded"),
    /** A single address, which replaces any earlier address. */
    X_REAL_IP("x-real-ip");

    private final String word;

    ForwardingHeader(String word) {
        this.word = word;
    }

    /** Returns the header's name in lower case, as configuration spells it. */
    public String word() {
        return word;
    }

    /** Returns the header with this name, in any case. The exception lists the valid names. */
    public static ForwardingHeader named(String name) {
        for (ForwardingHeader header : values()) {
            if (header.word.equals(name.toLowerCase(Locale.ROOT))) {
                return header;
            }
        }
        throw new IllegalArgumentException(
                "headers: " + PrintableText.text(name) + " (expected: x-forwarded-for, forwarded or x-real-ip)");
    }
}
