package io.sluice.center.destination;

import io.sluice.center.settings.AlertSeverity;

/**
 * What somebody is told about an alert. Immutable. No text has line breaks or control characters.
 *
 * @param kind the word of the API, such as {@code degraded}
 * @param since when it began, as ISO 8601
 * @param subject what it is about
 * @param summary one English sentence
 * @param chinese the same in Chinese
 * @param link where to look
 * @param json the alert as the API shows it
 */
public record AlertMessage(
        Event event,
        String kind,
        AlertSeverity severity,
        String since,
        String subject,
        String summary,
        String chinese,
        String link,
        String json) {

    /** Why it is told. */
    public enum Event {
        FIRING("firing"),
        /** It was told before, and goes on. */
        REPEATED("repeated"),
        RESOLVED("resolved");

        private final String word;

        Event(String word) {
            this.word = word;
        }

        /** Returns the name in the message. */
        public String word() {
            return word;
        }
    }
}
