package io.sluice.center.alert;

import io.sluice.center.command.LogText;

/**
 * Something that is wrong now. Its texts have no line breaks and no control characters, whatever others have sent. Immutable.
 *
 * @param key what it is about, the same as long as it goes on, such as {@code node:n1}
 * @param subject the same for people; a caller is masked
 * @param summary one English sentence
 * @param chinese the same in Chinese
 * @param value what was found
 * @param threshold what it was compared with
 * @param path where to look, within the center's pages
 */
record Symptom(
        String key, String subject, String summary, String chinese, double value, double threshold, String path) {

    private static final int LONGEST_KEY = 400;

    Symptom {
        key = LogText.line(key);
        key = key.substring(0, Math.min(LONGEST_KEY, key.length()));
        subject = LogText.line(subject);
        summary = LogText.line(summary);
        chinese = LogText.line(chinese);
    }
}
