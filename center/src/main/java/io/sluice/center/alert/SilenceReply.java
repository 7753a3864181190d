package io.sluice.center.alert;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time in which alerts are shown and not sent.
 *
 * @param kind of the alerts; null if it is not about a kind
 * @param rule the id of the alert rule; null if it is about a kind
 * @param subject what the alerts are about; null if it is about everything of the kind or rule
 * @param author who made it
 */
public record SilenceReply(
        long id,
        @Nullable String kind,
        @Nullable String rule,
        @Nullable String subject,
        String reason,
        String author,
        Instant at,
        Instant until) {

    static SilenceReply of(Silence silence) {
        return new SilenceReply(
                silence.id(),
                given(silence.kind()),
                given(silence.rule()),
                given(silence.subject()),
                silence.reason(),
                silence.actor(),
                Instant.ofEpochMilli(silence.at()),
                Instant.ofEpochMilli(silence.until()));
    }

    private static @Nullable String given(String text) {
        return text.isEmpty() ? null : text;
    }
}
