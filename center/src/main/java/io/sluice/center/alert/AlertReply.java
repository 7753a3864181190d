package io.sluice.center.alert;

import java.net.URI;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * An alert in the form of the API, webhooks and the stream.
 *
 * @param id the number of the alert; 0 while it is pending
 * @param rule the id of the alert rule
 * @param state pending, firing or resolved
 * @param since when the problem was first seen
 * @param fired when it had lasted long enough; null while the alert is pending
 * @param resolved when the alert ended; null before
 * @param key the subject as a key, the same at each occurrence
 * @param subject the subject for people; callers are masked
 * @param summary one English sentence
 * @param summaryZh the same sentence in Chinese
 * @param link the page that shows more
 * @param silenced whether a silence keeps the alert from being sent
 */
public record AlertReply(
        long id,
        String rule,
        String kind,
        String severity,
        String state,
        Instant since,
        @Nullable Instant fired,
        @Nullable Instant resolved,
        String key,
        String subject,
        String summary,
        String summaryZh,
        Double value,
        Double threshold,
        String link,
        boolean silenced) {

    private static final JsonMapper JSON = JsonMapper.shared();

    static AlertReply of(Alert alert, boolean silenced, URI center) {
        Symptom symptom = alert.symptom();
        return new AlertReply(
                alert.id(),
                alert.rule(),
                alert.kind().word(),
                alert.severity().word(),
                alert.state().word(),
                Instant.ofEpochMilli(alert.since()),
                time(alert.firedAt()),
                time(alert.resolvedAt()),
                symptom.key(),
                symptom.subject(),
                symptom.summary(),
                symptom.chinese(),
                symptom.value(),
                symptom.threshold(),
                center + symptom.path(),
                silenced);
    }

    private static @Nullable Instant time(long millis) {
        return millis == 0 ? null : Instant.ofEpochMilli(millis);
    }

    /** Returns the alert as one line of JSON. */
    String json() {
        ObjectNode json = JSON.createObjectNode();
        json.put("id", id)
                .put("rule", rule)
                .put("kind", kind)
                .put("severity", severity)
                .put("state", state)
                .put("since", since.toString())
                .put("fired", fired == null ? null : fired.toString())
                .put("resolved", resolved == null ? null : resolved.toString())
                .put("key", key)
                .put("subject", subject)
                .put("summary", summary)
                .put("summary_zh", summaryZh)
                .put("value", value)
                .put("threshold", threshold)
                .put("link", link)
                .put("silenced", silenced);
        return JSON.writeValueAsString(json);
    }
}
