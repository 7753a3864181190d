package io.sluice.center.govern.reply;

import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.Tally;
import java.util.List;

/**
 * The difference between two sets of rules.
 *
 * @param sentences the difference in words
 * @param text the difference in the form of {@code diff -u}
 */
public record DiffReply(long from, long to, Tally counts, List<String> sentences, String text) {

    public DiffReply {
        sentences = List.copyOf(sentences);
    }

    /** Describes the effect of a change. */
    static DiffReply of(ChangeReview review, long version) {
        return new DiffReply(
                review.before().version(),
                version,
                review.tally(),
                review.changes().stream().map(Object::toString).toList(),
                review.text());
    }
}
