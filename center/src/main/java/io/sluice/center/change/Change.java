package io.sluice.center.change;

import io.sluice.center.edit.Edits;

/**
 * A proposal to edit rules.
 *
 * @param revision rises with each edit; statements about an earlier revision no longer hold
 * @param base the released version that the edits are based on
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
