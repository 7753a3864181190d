package io.sluice.runtime.center;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.source.TrialPointer;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.rules.yaml.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The state that a center sends beside its sets. Immutable.
 *
 * @param version the version in force for callers outside a trial; 0 if none was released
 * @param trial the version on trial; empty if there is none
 */
record CenterState(long version, Optional<TrialPointer> trial, Adjustments adjustments) {

    /** The state without a release, a trial or adjustments. */
    static final CenterState NONE = new CenterState(0, Optional.empty(), Adjustments.NONE);

    private static final int MOST_CHARACTERS = Adjustments.MOST_CHARACTERS + TrialPointer.LONGEST + 1_000;
    private static final long LARGEST_VERSION = 999_999_999_999_999L;

    /**
     * Reads the text of an event.
     *
     * @throws IllegalArgumentException if it does not have this form
     */
    static CenterState parse(byte[] text) {
        JsonObject fields = JsonObject.parse(new String(text, StandardCharsets.UTF_8), MOST_CHARACTERS);
        return new CenterState(
                fields.whole("version", 0, LARGEST_VERSION),
                fields.optionalText("trial").map(CenterState::trial),
                fields.object("adjustments").map(Adjustments::read).orElse(Adjustments.NONE));
    }

    /**
     * Returns the state after the next one has arrived. A node may connect to several centers one after the other, and one of them may be
     * behind. An older revision of adjustments never replaces a newer one.
     *
     * @throws IllegalArgumentException if the next state is older
     */
    CenterState followedBy(CenterState next) {
        long now = adjustments.revision();
        long later = next.adjustments.revision();
        if (next.version < version) {
            throw new IllegalArgumentException("version: " + next.version + " (expected: " + version + " or higher)");
        }
        if (next.version == version && later < now) {
            throw new IllegalArgumentException("revision: " + later + " (expected: " + now + " or higher)");
        }
        return later < now ? new CenterState(next.version, next.trial, adjustments) : next;
    }

    private static TrialPointer trial(String text) {
        return TrialPointer.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("trial: " + PrintableText.text(text)
                        + " (expected: such as 13 callers 5 by user key 0123456789abcdef)"));
    }
}
