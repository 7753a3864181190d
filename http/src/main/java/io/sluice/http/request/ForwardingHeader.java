package io.sluice.http.request;

import io.sluice.rules.yaml.PrintableText;
import java.util.Locale;

/** Headers in which proxies tell who called them. */
public enum ForwardingHeader {
    /** Addresses, each proxy adding the one it was called from at the end. */
    X_FORWARDED_FOR("x-forwarded-for"),
    /** The same with names and quotes, RFC 7239. */
    FORWARDED("forwarded"),
    /** One address, put in the place of any other. */
    X_REAL_IP("x-real-ip");

    private final String word;

    ForwardingHeader(String word) {
        this.word = word;
    }

    /** The header's name in small letters, as configuration spells it. */
    public String word() {
        return word;
    }

    /** The header of this name, in any case; the exception says which there are. */
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
