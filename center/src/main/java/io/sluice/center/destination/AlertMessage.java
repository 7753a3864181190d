package io.sluice.center.destination;

/**
 * A message to people about an alert. Immutable. No text has line breaks or control characters.
 *
 * @param kind the word of the API, such as {@code degraded}
 * @param since the start of the alert, as ISO 8601
 * @param subject the subject of the alert
 * @param summary one English sentence
 * @param chinese the same sentence in Chinese
 * @param link the address of the page with details
 * @param json the alert in the form of the API
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

    /** The reason for the message. */
    public enum Event {
        FIRING("firing"),
        /** The alert was sent before and is still firing. */
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
