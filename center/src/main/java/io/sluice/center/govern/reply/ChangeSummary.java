package io.sluice.center.govern.reply;

import io.sluice.center.change.Change;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change in a list.
 *
 * @param rules the ids of the touched rules
 */
public record ChangeSummary(
        long id,
        long revision,
        String state,
        String title,
        String reason,
        String author,
        long base,
        Instant openedAt,
        Instant changedAt,
        @Nullable Long version,
        List<String> rules) {

    public static ChangeSummary of(Change change) {
        return new ChangeSummary(
                change.id(),
                change.revision(),
                change.state().word(),
                change.title(),
                change.reason(),
                change.author(),
                change.base(),
                Instant.ofEpochMilli(change.openedAt()),
                Instant.ofEpochMilli(change.changedAt()),
                VersionReply.orNull(change.version()),
                List.copyOf(change.edits().touched()));
    }
}
