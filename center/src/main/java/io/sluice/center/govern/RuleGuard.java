package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.adjust.Adjustment;
import io.sluice.center.change.Change;
import io.sluice.center.change.ChangeState;
import io.sluice.center.change.Changes;
import io.sluice.center.change.Changes.Reviewed;
import io.sluice.center.database.Database;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.Edits;
import io.sluice.center.govern.reply.VersionReply;
import io.sluice.center.reach.Coverage;
import io.sluice.center.reach.Visibility;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.CurrentRules;
import io.sluice.center.release.Releases;
import io.sluice.center.release.Rollout;
import io.sluice.center.version.RulesInForce;
import io.sluice.center.version.Version;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Restricts the routes to the rules that the rights of a caller cover. Anything that a caller may not see is answered as if it
 * did not exist.
 */
public final class RuleGuard {

    private static final int MIN_BATCH = 100;

    private final Database database;
    private final Releases releases;
    private final RulesInForce rulesInForce;
    private final Clock clock;
    private final Versions versions;
    private final Changes changes;
    private final CurrentRules current;

    RuleGuard(
            Database database,
            Versions versions,
            Changes changes,
            Releases releases,
            RulesInForce rulesInForce,
            Clock clock) {
        this.database = database;
        this.versions = versions;
        this.changes = changes;
        this.releases = releases;
        this.rulesInForce = rulesInForce;
        this.clock = clock;
        this.current = new CurrentRules(versions);
    }

    /**
     * Returns a page of the items that a caller may see, newest first. Other tenants may have very many items, so a page that
     * needs a longer search is cut.
     *
     * @param fetch returns a bounded number of items with a number below another
     * @param cut receives the number below which the search continues, if the page was cut
     */
    static <T> List<T> page(
            long below,
            int most,
            BiFunction<Long, Integer, List<T>> fetch,
            ToLongFunction<T> number,
            Predicate<T> seen,
            LongConsumer cut) {
        List<T> page = new ArrayList<>();
        long next = below;
        int size = Math.max(most, MIN_BATCH);
        for (int searched = 0; searched < Changes.MAX_SEARCHED; searched += size) {
            List<T> batch = fetch.apply(next, size);
            batch.stream().filter(seen).limit(most - page.size()).forEach(page::add);
            if (batch.size() < size || page.size() >= most) {
                return page;
            }
            next = number.applyAsLong(batch.get(batch.size() - 1));
        }
        cut.accept(next);
        return page;
    }

    /** Returns a consumer that adds a {@code Link} header for the rest of a page that was cut. */
    static LongConsumer rest(HttpServletRequest request, HttpServletResponse response) {
        String query = request.getQueryString() == null ? "" : request.getQueryString();
        String others = Arrays.stream(query.split("&"))
                .filter(field -> !field.isEmpty() && !field.startsWith("below="))
                .map(field -> field + "&")
                .collect(Collectors.joining());
        return below -> response.setHeader(
                HttpHeaders.LINK, "<" + request.getRequestURI() + "?" + others + "below=" + below + ">; rel=\"next\"");
    }

    /** Describes a version. Its author and reason are shown only to callers who see all rules that it changed. */
    VersionReply version(JdbcClient client, Access access, Version version) {
        VersionReply reply = VersionReply.of(version);
        if (access.seesAll()) {
            return reply;
        }
        RuleSet after = versions.rules(client, version.number()).orElseThrow();
        int seen = new Visibility(access).of(after.rules()).size();
        return seesDifference(client, access, version.number()) ? reply.counting(seen) : reply.withoutStory(seen);
    }

    private boolean seesDifference(JdbcClient client, Access access, long version) {
        RuleSet before =
                versions.rules(client, versions.before(client, version)).orElseThrow();
        return versions.rules(client, version)
                .filter(after -> new Visibility(access).seesDifference(before, after))
                .isPresent();
    }

    /** Returns the edits that turn the rules of a version, restricted to the rules that a caller sees, into other rules. */
    Edits edits(Access access, long base, List<Rule> rules) {
        Visibility visibility = new Visibility(access);
        // Rules that the center only shows are not one of its versions.
        Edits edits = rulesInForce.shown().isPresent()
                ? Edits.between(visibility.of(rulesInForce.rules().rules()), rules)
                : changes.edits(base, visibility::of, rules);
        return access.seesAll() ? edits : new Edits(edits.list());
    }

    /** Returns the edits that turn the rules of a version into the rules of another one, restricted to the rules that a caller sees. */
    Edits editsTo(Access access, long base, long version) {
        RuleSet content = database.read(client -> versions.rules(client, version))
                .filter(set -> set.version() != 0)
                .orElseThrow(() -> RefusedException.invalid(
                        "content_of: version " + version + " is unknown (expected: a released version)"));
        return edits(access, base, new Visibility(access).of(content.rules()));
    }

    boolean sees(JdbcClient client, Access access, Change change) {
        return access.seesAll() || new Visibility(access).sees(change.edits(), changes.sets(client, change));
    }

    /** Returns a change; refuses if the caller may not see it. */
    Change change(Access access, long id) {
        return database.read(client -> changes.find(client, id).filter(change -> sees(client, access, change)))
                .orElseThrow(() -> missing("change", id));
    }

    /** Returns a change and its effect; refuses if the caller may not see it. */
    Reviewed reviewed(Access access, long id) {
        Change seen = change(access, id);
        return changes.find(seen.id()).orElseThrow();
    }

    /** Returns a check that a right covers each rule that edits touch, before and after. */
    static Changes.Guard covering(Access access, Right right) {
        return access.mayEverywhere(right)
                ? Changes.Guard.NONE
                : (edits, sets) -> Coverage.missing(access, right, edits, sets).ifPresent(what -> {
                    throw notYours(what);
                });
    }

    /** Requires that a caller may release a change, and that the change affects only the caller's tenant. */
    void requireReleasable(Access access, Change change) {
        require(access, Right.RELEASE, change);
        if (access.mayEverywhere(Right.RELEASE)) {
            return;
        }
        Coverage.unconfined(access, change.edits()).ifPresent(rule -> {
            throw RefusedException.forbidden(unconfined(rule)
                    + ", or let somebody with the right to release the rules of all tenants release the change)");
        });
    }

    /** Requires that a right covers each rule that a change touches. */
    void require(Access access, Right right, Change change) {
        covering(access, right).check(change.edits(), database.read(client -> changes.sets(client, change)));
    }

    /** Returns the effect of a change, restricted to the rules that a caller sees. */
    ChangeReview review(Access access, Reviewed reviewed) {
        Change change = reviewed.change();
        ChangeReview review = reviewed.review();
        if (!access.seesAll()) {
            Visibility visibility = new Visibility(access);
            List<RuleSet> sets = database.read(client -> changes.sets(client, change));
            review = ChangeReview.of(
                    change.edits(),
                    visibility.of(sets.isEmpty() ? review.before() : sets.get(0)),
                    visibility.of(review.before()),
                    now());
        }
        return change.state() == ChangeState.OPEN ? confined(access, change.edits(), review) : review;
    }

    /** Returns a review, with a warning if the edits could affect other tenants. */
    ChangeReview confined(Access access, Edits edits, ChangeReview review) {
        Optional<Rule> unconfined = access.may(Right.EDIT) && !access.mayEverywhere(Right.RELEASE)
                ? Coverage.unconfined(access, edits)
                : Optional.empty();
        return unconfined.isEmpty() ? review : withWarning(review, unconfined.get());
    }

    private static ChangeReview withWarning(ChangeReview review, Rule rule) {
        List<DocumentError> warnings = new ArrayList<>(review.warnings());
        warnings.add(DocumentError.of("change", unconfined(rule) + "; otherwise you cannot release it)"));
        return new ChangeReview(
                review.before(), review.after(), review.changes(), review.collisions(), warnings, review.findings());
    }

    private static String unconfined(Rule rule) {
        String tenant = rule.about().tenant().orElse("your tenant");
        return "rule " + rule.id() + ": could act on requests of other tenants (expected: match: {tenant: " + tenant
                + "} in a rule that limits or denies requests";
    }

    boolean sees(JdbcClient client, Access access, Rollout rollout) {
        if (access.seesAll()) {
            return true;
        }
        long change = rollout.order().change();
        return change == 0
                ? seesDifference(client, access, rollout.version())
                : changes.find(client, change)
                        .filter(found -> sees(client, access, found))
                        .isPresent();
    }

    /** Returns a rollout; refuses if the caller may not see it. */
    Rollout rollout(Access access, long id) {
        return releases.rollout(id)
                .filter(found -> database.read(client -> sees(client, access, found)))
                .orElseThrow(() -> missing("rollout", id));
    }

    /** Returns the change of a rollout; empty if it has none and the caller has the right over all rules. */
    Optional<Change> change(Access access, Right right, Rollout rollout) {
        Optional<Change> change =
                database.read(client -> changes.find(client, rollout.order().change()));
        if (change.isEmpty() && !access.mayEverywhere(right)) {
            throw notYours("rollout " + rollout.id());
        }
        return change;
    }

    /** Requires a right over a rule in force or on trial, or over all rules. */
    void requireRule(Access access, Right right, String rule) {
        if (!access.mayEverywhere(right)) {
            coveringRule(access, right, rule).accept(database.read(current::all));
        }
    }

    /** Returns a check that a right covers a rule, given the rules in force and the rules on trial. */
    static Consumer<List<RuleSet>> coveringRule(Access access, Right right, String rule) {
        return sets -> {
            if (!Coverage.covers(access, right, rule, sets)) {
                throw notYours("rule " + rule);
            }
        };
    }

    /**
     * Returns a check whether a caller may see an adjustment. An adjustment of all rules, or of a rule that belonged to another
     * tenant, is visible only to callers who see all rules.
     */
    Predicate<Adjustment> adjustments(Access access) {
        if (access.seesAll()) {
            return adjustment -> true;
        }
        List<RuleSet> sets = database.read(current::all);
        Visibility visibility = new Visibility(access);
        return adjustment -> visibility.sees(adjustment.rule(), sets) && adjustment.isFor(sets);
    }

    static RefusedException missing(String what, Object which) {
        return RefusedException.missing(what + " " + which + ": unknown");
    }

    private static RefusedException notYours(String what) {
        return RefusedException.forbidden(
                what + ": not yours (expected: a rule that your role or token covers, before and after)");
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.epochMicros() / 1000);
    }
}
