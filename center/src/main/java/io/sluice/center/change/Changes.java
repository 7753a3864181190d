package io.sluice.center.change;

import io.sluice.center.access.Access;
import io.sluice.center.approval.Approvals;
import io.sluice.center.approval.Standing;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.command.RuleDiff;
import io.sluice.center.database.Database;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.Collision;
import io.sluice.center.edit.Edits;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Opens, edits and closes changes. Thread-safe. */
public final class Changes {

    private static final int LONGEST_TITLE = 300;
    private static final int LONGEST_REASON = 10_000;

    /** The maximum number of changes that are searched for one answer, because a review may take a fraction of a millisecond. */
    public static final int MAX_SEARCHED = 2_000;

    private static final int BATCH = 100;

    private final Database database;
    private final ChangeTable table = new ChangeTable();
    private final Versions versions;
    private final CommandLog log;
    private final Clock clock;
    private final Approvals approvals;

    public Changes(Database database, Versions versions, CommandLog log, Clock clock) {
        this(database, versions, log, clock, new Approvals(People.of(database, log, clock)));
    }

    public Changes(Database database, Versions versions, CommandLog log, Clock clock, Approvals approvals) {
        this.database = database;
        this.versions = versions;
        this.log = log;
        this.clock = clock;
        this.approvals = approvals;
    }

    /** A change with its effect on the current rules, the approvals that it needs, and the approvals that it has. */
    public record Reviewed(Change change, ChangeReview review, Standing standing) {}

    /** Returns the approvals of changes. */
    public Approvals approvals() {
        return approvals;
    }

    /** Refuses edits that the author of a command has no right to make. It runs within the transaction of the command. */
    @FunctionalInterface
    public interface Guard {

        /** Allows everything. */
        Guard NONE = (edits, sets) -> {};

        /**
         * Checks edits.
         *
         * @param sets the rules that the change is based on, and the rules in force
         * @throws RefusedException if the author has no right to make the edits
         */
        void check(Edits edits, List<RuleSet> sets);
    }

    /** The maximum number of open changes of one author. A program that opens changes and forgets them must not fill the database. */
    static final int MAX_OPEN = 1_000;

    /** Opens a change, if its edits fit the rules in force. */
    public Reviewed open(Actor actor, ChangeCommand.OpenChange command) {
        return open(actor, command, Guard.NONE);
    }

    /** Opens a change, if its edits fit the rules in force and the guard allows them. */
    public Reviewed open(Actor actor, ChangeCommand.OpenChange command, Guard guard) {
        return database.write(client -> {
            guard.check(command.edits(), sets(client, command.base()));
            ChangeReview review = review(client, command.base(), command.edits());
            requireFit(command.base(), command.edits(), review);
            if (table.open(client, actor.name()) >= MAX_OPEN) {
                throw RefusedException.conflict("changes: " + actor.name() + " has " + MAX_OPEN
                        + " open ones (expected: fewer; release or withdraw some)");
            }
            long now = now();
            Change change = new Change(
                    Database.next(client, "change"),
                    1,
                    ChangeState.OPEN,
                    title(command.title()),
                    reason(command.reason()),
                    actor.name(),
                    command.base(),
                    command.edits(),
                    now,
                    now,
                    0);
            table.add(client, change);
            approvals.authored(client, change.id(), change.revision(), actor);
            log.add(client, actor, command, RuleDiff.of(review.changes()));
            return reviewed(client, change, review);
        });
    }

    /** Replaces the content of an open change. */
    public Reviewed edit(Actor actor, ChangeCommand.EditChange command) {
        return edit(actor, command, Guard.NONE);
    }

    /** Replaces the content of an open change, if the guard allows the old and the new content. */
    public Reviewed edit(Actor actor, ChangeCommand.EditChange command, Guard guard) {
        return database.write(client -> {
            Change old = requireOpen(client, command.change());
            guard.check(old.edits(), sets(client, old));
            guard.check(command.edits(), sets(client, command.base()));
            requireRevision(old, command.revision());
            ChangeReview review = review(client, command.base(), command.edits());
            requireFit(command.base(), command.edits(), review);
            Change change = new Change(
                    old.id(),
                    old.revision() + 1,
                    ChangeState.OPEN,
                    title(command.title()),
                    reason(command.reason()),
                    old.author(),
                    command.base(),
                    command.edits(),
                    old.openedAt(),
                    now(),
                    0);
            table.replace(client, change);
            approvals.authored(client, change.id(), change.revision(), actor);
            log.add(client, actor, command, RuleDiff.of(review.changes()));
            return reviewed(client, change, review);
        });
    }

    /** Moves an open change to the version in force. Its edits remain the same and now replace the rules in force. */
    public Reviewed rebase(Actor actor, long id, OptionalLong revision) {
        return rebase(actor, id, revision, Guard.NONE);
    }

    /** Moves an open change to the version in force, if the guard allows its content. */
    public Reviewed rebase(Actor actor, long id, OptionalLong revision, Guard guard) {
        return database.write(client -> {
            Change old = requireOpen(client, id);
            guard.check(old.edits(), sets(client, old));
            requireRevision(old, revision.orElse(old.revision()));
            RuleSet current = versions.latestRules(client);
            Edits edits = old.edits().without(old.edits().missingFrom(current.rules()));
            ChangeReview review = ChangeReview.of(edits, current, current, instant());
            if (review.changes().isEmpty()) {
                throw RefusedException.conflict("change " + id + ": version " + current.version()
                        + " already has this content (expected: a difference; withdraw the change)");
            }
            Change change = new Change(
                    old.id(),
                    old.revision() + 1,
                    ChangeState.OPEN,
                    old.title(),
                    old.reason(),
                    old.author(),
                    current.version(),
                    edits,
                    old.openedAt(),
                    now(),
                    0);
            table.replace(client, change);
            approvals.authored(client, change.id(), change.revision(), actor);
            log.add(
                    client,
                    actor,
                    new ChangeCommand.RebaseChange(id, old.revision(), current.version()),
                    RuleDiff.of(review.changes()));
            return reviewed(client, change, review);
        });
    }

    /** Returns the edits that turn the rules of a version into the given rules. */
    public Edits edits(long base, List<Rule> rules) {
        return edits(base, before -> before, rules);
    }

    /**
     * Returns the edits that turn some rules of a version into the given rules.
     *
     * @param part selects the rules; the other rules remain
     */
    public Edits edits(long base, UnaryOperator<List<Rule>> part, List<Rule> rules) {
        return database.read(
                client -> Edits.between(part.apply(begun(client, base).rules()), rules));
    }

    /** Closes a change without releasing it. */
    public Change close(Actor actor, ChangeCommand.CloseChange command) {
        return close(actor, command, Guard.NONE);
    }

    /** Closes a change without releasing it, if the guard allows its content. */
    public Change close(Actor actor, ChangeCommand.CloseChange command, Guard guard) {
        return database.write(client -> {
            Change old = requireOpen(client, command.change());
            guard.check(old.edits(), sets(client, old));
            Change change = moved(old, command.rejected() ? ChangeState.REJECTED : ChangeState.WITHDRAWN, 0);
            table.replace(client, change);
            log.add(client, actor, command);
            return change;
        });
    }

    /**
     * Marks a change as released, in the transaction that releases it.
     *
     * @param version the number of the version with its content
     */
    public void released(JdbcClient client, Change change, long version) {
        table.replace(client, moved(change, ChangeState.RELEASED, version));
    }

    /** Marks a change as being on trial, in the transaction that starts the trial. */
    public void tried(JdbcClient client, Change change, long version) {
        table.replace(client, moved(change, ChangeState.TRIAL, version));
    }

    /** Opens a change again, because its trial was ended. */
    public void reopened(JdbcClient client, Change change) {
        table.replace(client, moved(change, ChangeState.OPEN, 0));
    }

    /** Returns a change that is on trial. */
    public Optional<Change> onTrial(JdbcClient client, long id) {
        return table.find(client, id).filter(change -> change.state() == ChangeState.TRIAL);
    }

    public Optional<Reviewed> find(long id) {
        return database.read(
                client -> table.find(client, id).map(change -> reviewed(client, change, review(client, change))));
    }

    /**
     * Approves a change for its release, provided that the resulting rules are the rules that the person saw. A second approval by the same
     * person changes nothing.
     */
    public Reviewed approve(Access access, long id, String digest, String comment) {
        return database.write(client -> {
            long number = approvals.next(client);
            Change change =
                    table.find(client, id).filter(Changes::isUndecided).orElseGet(() -> requireOpen(client, id));
            table.hold(client, change);
            Approvals.Proposal proposal = proposal(client, change);
            approvals.requireApprover(client, access, proposal);
            ChangeReview review = review(client, change);
            if (change.state() == ChangeState.OPEN) {
                requireNoCollision(change, review);
            }
            if (!proposal.after().digest().equals(digest)) {
                throw RefusedException.conflict(
                        "digest: the change would now result in "
                                + proposal.after().digest() + " (expected: " + digest
                                + "); something else was released or the change was edited, look at it again",
                        Map.of(
                                "digest",
                                proposal.after().digest(),
                                "version",
                                proposal.before().version()));
            }
            return new Reviewed(change, review, approvals.approve(client, number, access, proposal, comment));
        });
    }

    /** Returns the newest changes that a person could approve and has not approved, among a bounded number of undecided changes. */
    public List<Reviewed> awaiting(Access access, int most) {
        return database.read(client -> Stream.of(ChangeState.OPEN, ChangeState.TRIAL)
                .flatMap(state -> newest(client, state))
                .map(change -> reviewed(client, change, review(client, change)))
                .filter(each -> each.review().collisions().isEmpty())
                .filter(each -> approvals.awaits(client, access, proposal(client, each.change()), each.standing()))
                .limit(most)
                .toList());
    }

    /** Returns the open changes of an author that would result in rules with a digest, newest first. */
    public List<Change> own(Actor author, String digest, int most) {
        return database.read(client -> newest(client, ChangeState.OPEN)
                .filter(change -> change.author().equals(author.name()))
                .filter(change -> review(client, change).digest().equals(digest))
                .limit(most)
                .toList());
    }

    /** Reads the changes in a state, newest first, in batches and only as many as needed. */
    private Stream<Change> newest(JdbcClient client, ChangeState state) {
        return Stream.iterate(
                        table.list(client, Optional.of(state), Long.MAX_VALUE, BATCH),
                        batch -> !batch.isEmpty(),
                        batch -> table.list(
                                client,
                                Optional.of(state),
                                batch.get(batch.size() - 1).id(),
                                BATCH))
                .flatMap(List::stream)
                .limit(MAX_SEARCHED);
    }

    /** Returns the effect of a change on the rules in force; for a change on trial, its effect on the rules before the trial. */
    private Approvals.Proposal proposal(JdbcClient client, Change change) {
        RuleSet before = change.state() == ChangeState.TRIAL
                ? versions.rules(client, versions.before(client, change.version()))
                        .orElseThrow()
                : versions.latestRules(client);
        return new Approvals.Proposal(
                change.id(),
                before,
                new RuleSet(before.version(), change.edits().applyTo(before.rules())));
    }

    private Reviewed reviewed(JdbcClient client, Change change, ChangeReview review) {
        return new Reviewed(
                change,
                review,
                isUndecided(change) ? approvals.standing(client, proposal(client, change)) : Standing.FREE);
    }

    private static boolean isUndecided(Change change) {
        return change.state() == ChangeState.OPEN || change.state() == ChangeState.TRIAL;
    }

    /** Refuses to release a change, or to widen its trial, without enough approvals. */
    public void requireApproved(JdbcClient client, Change change) {
        approvals.require(client, proposal(client, change));
    }

    /** Returns the approvals that a change needs and has. */
    public Standing standing(JdbcClient client, Change change) {
        return approvals.standing(client, proposal(client, change));
    }

    /** Returns changes with an id below a number, newest first, without their reviews. */
    public List<Change> list(Optional<ChangeState> state, long below, int most) {
        return database.read(client -> table.list(client, state, below, most));
    }

    /**
     * Returns an open change.
     *
     * @throws RefusedException if the change is unknown or not open
     */
    public Change requireOpen(JdbcClient client, long id) {
        Change change = table.find(client, id)
                .orElseThrow(
                        () -> RefusedException.missing("change " + id + ": unknown (expected: the id of a change)"));
        if (change.state() != ChangeState.OPEN) {
            throw RefusedException.conflict(
                    "change " + id + ": "
                            + (change.state() == ChangeState.TRIAL
                                    ? "on trial"
                                    : change.state().word())
                            + (change.version() == 0 ? "" : " as version " + change.version())
                            + " (expected: an open change)",
                    Map.of("state", change.state().word(), "version", change.version()));
        }
        return change;
    }

    /** Returns the effect of an open change on the rules in force; for a released change, the effect of its release. */
    public ChangeReview review(JdbcClient client, Change change) {
        if (change.state() == ChangeState.RELEASED) {
            RuleSet before = versions.rules(client, versions.before(client, change.version()))
                    .orElseGet(() -> versions.rules(client, change.base()).orElseThrow());
            return ChangeReview.of(change.edits(), before, before, instant());
        }
        return review(client, change.base(), change.edits());
    }

    /** Returns a change without its review. */
    public Optional<Change> find(JdbcClient client, long id) {
        return table.find(client, id);
    }

    /** Returns the rules that the edits of a change are compared with: the rules that it is based on, and the rules that it replaces. */
    public List<RuleSet> sets(JdbcClient client, Change change) {
        return change.state() == ChangeState.RELEASED
                ? versions.rules(client, versions.before(client, change.version())).stream()
                        .toList()
                : sets(client, change.base());
    }

    /** Returns the rules that edits of a version are compared with: the rules of that version, and the rules in force. */
    public List<RuleSet> sets(JdbcClient client, long base) {
        return List.of(begun(client, base), versions.latestRules(client));
    }

    /** Refuses a change that collides with a release after its base version. */
    public static void requireNoCollision(Change change, ChangeReview review) {
        if (!review.collisions().isEmpty()) {
            throw collision(change.base(), review);
        }
    }

    private ChangeReview review(JdbcClient client, long base, Edits edits) {
        return ChangeReview.of(edits, begun(client, base), versions.latestRules(client), instant());
    }

    private RuleSet begun(JdbcClient client, long base) {
        return versions.rules(client, base)
                .orElseThrow(() -> RefusedException.invalid("base: " + base + " (expected: a released version, at most "
                        + versions.latest(client) + "; 0 if there is none)"));
    }

    /** Returns the approvals that a change with this effect would need. */
    public Standing standing(JdbcClient client, RuleSet before, RuleSet after) {
        return approvals.standing(client, new Approvals.Proposal(0, before, after));
    }

    private static void requireFit(long base, Edits edits, ChangeReview review) {
        if (!review.collisions().isEmpty()) {
            throw collision(base, review);
        }
        List<String> missing = missing(edits, review.before());
        if (!missing.isEmpty()) {
            throw RefusedException.unprocessable("the change removes rules that do not exist", missing);
        }
        if (review.changes().isEmpty()) {
            throw RefusedException.unprocessable(
                    "the change changes nothing",
                    List.of("edits: version " + review.before().version() + " already has this content"));
        }
    }

    /** Returns an error for each rule that the edits remove and that does not exist. */
    public static List<String> missing(Edits edits, RuleSet rules) {
        return edits.missingFrom(rules.rules()).stream()
                .map(id -> "edits: remove \"" + id + "\" (expected: the id of a rule in force)")
                .toList();
    }

    private static RefusedException collision(long base, ChangeReview review) {
        List<String> rules = review.collisions().stream().map(Collision::rule).toList();
        return RefusedException.conflict(
                "since version " + base + " somebody else changed " + String.join(", ", rules) + " (now version "
                        + review.before().version() + "); compare both and rebase the change",
                Map.of(
                        "collisions",
                        review.collisions(),
                        "version",
                        review.before().version()));
    }

    private static void requireRevision(Change change, long revision) {
        if (change.revision() != revision) {
            throw RefusedException.conflict(
                    "change " + change.id() + ": somebody else edited it, it has revision " + change.revision()
                            + " (expected: " + revision + ")",
                    Map.of("revision", change.revision()));
        }
    }

    private Change moved(Change old, ChangeState state, long version) {
        return new Change(
                old.id(),
                old.revision() + 1,
                state,
                old.title(),
                old.reason(),
                old.author(),
                old.base(),
                old.edits(),
                old.openedAt(),
                now(),
                version);
    }

    private static String title(String title) {
        return text("title", title, LONGEST_TITLE);
    }

    /**
     * Returns a reason that is not empty.
     *
     * @throws RefusedException if the reason is empty or too long
     */
    public static String reason(String reason) {
        return text("reason", reason, LONGEST_REASON);
    }

    private static String text(String name, String text, int most) {
        if (text.isBlank()) {
            throw RefusedException.invalid(name + ": empty (expected: a few words)");
        }
        if (text.length() > most) {
            throw RefusedException.invalid(
                    name + ": " + text.length() + " characters (expected: at most " + most + ")");
        }
        return text.strip();
    }

    private Instant instant() {
        return Instant.ofEpochMilli(now());
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
