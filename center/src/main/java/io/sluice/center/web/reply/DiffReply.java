package io.sluice.center.web.reply;

import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.Tally;
import java.util.List;

/**
 * The difference between two sets of rules.
 *
 * @param sentences in words
 * @param text in the form of {@code diff -u}
 */
public record DiffReply(long from, long to, Tally counts, List<String> sentences, String text) {

    public DiffReply {
        sentences = List.copyOf(sentences);
    }

    /** Describes what a change does. */
    static DiffReply of(ChangeReview review, long version) {
        return new DiffReply(
                review.before().version(),
                version,
                review.tally(),
                review.changes().stream().map(Object::toString).toList(),
                review.text());
    }
}
