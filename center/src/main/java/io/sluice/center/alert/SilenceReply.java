package io.sluice.center.alert;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time in which alerts are shown and not sent.
 *
 * @param kind the kind of the alerts; null if the silence is not for a kind
 * @param rule the id of the alert rule; null if the silence is for a kind
 * @param subject the subject of the alerts; null if the silence is for all subjects of the kind or rule
 * @param author the person who created the silence
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
