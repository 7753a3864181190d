package io.sluice.center.change;

import io.sluice.center.edit.Edits;

/**
 * A proposal to edit rules.
 *
 * @param revision rises with each edit; whatever was said about an earlier revision no longer holds
 * @param base the released version that the edits were made on
 * @param openedAt milliseconds since the epoch
 * @param version the version that released it; 0 unless it is released
 */
public record Change(
        long id,
        long revision,
        ChangeState state,
        String title,
        String reason,
        String author,
        long base,
        Edits edits,
        long openedAt,
        long changedAt,
        long version) {}
