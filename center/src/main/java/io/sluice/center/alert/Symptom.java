package io.sluice.center.alert;

import io.sluice.center.log.LogText;

/**
 * A problem that exists now. Its texts have no line breaks and no control characters, whatever other processes have sent. Immutable.
 *
 * @param key the subject as a key, the same as long as the problem lasts, such as {@code node:n1}
 * @param subject the subject for people; a caller is masked
 * @param summary one English sentence
 * @param chinese the same sentence in Chinese
 * @param value the measured value
 * @param threshold the value that it was compared with
 * @param path the page of the center that shows more
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
