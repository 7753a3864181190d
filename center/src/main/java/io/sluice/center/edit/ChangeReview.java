package io.sluice.center.edit;

import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.review.ReviewFinding;
import io.sluice.rules.review.SetReview;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The effect that the edits of a change would have on the rules in force.
 *
 * @param after the resulting rules, with the number of the version in force
 * @param changes the changes in the order of the rules
 * @param collisions the collisions with releases after the base version; with collisions, the change must be rebased first
 * @param warnings warnings about the edited rules: legal, but probably not intended by the author
 * @param findings findings about the whole set that the version in force does not have: rules that never act, limits that never refuse, and
 *     contradictions
 */
public record ChangeReview(
        RuleSet before,
        RuleSet after,
        List<RuleChange> changes,
        List<Collision> collisions,
        List<DocumentError> warnings,
        List<ReviewFinding> findings) {

    public ChangeReview {
        changes = List.copyOf(changes);
        collisions = List.copyOf(collisions);
        warnings = List.copyOf(warnings);
        findings = List.copyOf(findings);
    }

    /**
     * Reviews edits.
     *
     * @param base the version that the change is based on
     * @param current the version in force
     * @param now the time that decides which overrides have ended
     */
    public static ChangeReview of(Edits edits, RuleSet base, RuleSet current, Instant now) {
        return of(edits, base, current, now, SetReview.of(current, now));
    }

    /**
     * Reviews edits.
     *
     * @param known the findings about the version in force; computing them takes as long as the review of the result
     */
    public static ChangeReview of(Edits edits, RuleSet base, RuleSet current, Instant now, List<ReviewFinding> known) {
        RuleSet after = new RuleSet(current.version(), edits.applyTo(current.rules()));
        return new ChangeReview(
                current,
                after,
                RuleChange.between(current, after),
                Collision.of(edits, base, current),
                warnings(edits),
                findings(known, after, now));
    }

    /** Returns the digest of the resulting rules. */
    public String digest() {
        return after.digest();
    }

    public String text() {
        return TextDifference.between(before, after);
    }

    /** Returns the effects of the changes on counts, in sentences. */
    public List<String> forCounts() {
        return changes.stream()
                .filter(change -> change.forCounts().isPresent())
                .map(change -> change + ", " + change.forCounts().orElseThrow())
                .toList();
    }

    /** Returns the numbers of added, changed and removed rules. */
    public Tally tally() {
        return Tally.between(before, after);
    }

    private static List<ReviewFinding> findings(List<ReviewFinding> before, RuleSet after, Instant now) {
        Set<ReviewFinding> known = new HashSet<>(before);
        return SetReview.of(after, now).stream()
                .filter(finding -> !known.contains(finding))
                .toList();
    }

    private static List<DocumentError> warnings(Edits edits) {
        List<Rule> edited = edits.list().stream()
                .filter(edit -> edit instanceof Edit.Put)
                .map(edit -> ((Edit.Put) edit).put())
                .toList();
        return edited.isEmpty()
                ? List.of()
                : RuleDocument.parse("change", RuleJson.document(edited)).warnings();
    }
}
