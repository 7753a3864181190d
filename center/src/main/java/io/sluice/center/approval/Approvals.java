package io.sluice.center.approval;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.database.Database;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The approvals of changes. Every method runs within a transaction of the caller, so the facts it checks still hold when the
 * caller acts on them.
 *
 * <p>An approval binds to the content of the change, to the version that was in force, and to the person. It becomes void if the
 * change is edited or rebased, if another version is in force, or if the approval expires. It also becomes void if the person is
 * disabled, loses the right to approve any rule that the change touches, or turns out to be an author. Everyone who opened,
 * edited or rebased a change is an author. People are compared by their identity, so a second account or a token counts as the
 * same person.
 */
public final class Approvals {

    private static final int LONGEST_COMMENT = 10_000;

    private final People people;
    private final Persons persons;
    private final ApprovalTable table = new ApprovalTable();
    private final SettingsTable settings = new SettingsTable();
    private final EmergencyTable emergencies = new EmergencyTable();

    public Approvals(People people) {
        this.people = people;
        this.persons = new Persons(people);
    }

    /**
     * A change together with the rules that its release would produce.
     *
     * @param before the rules in force
     * @param after the rules that would result
     */
    public record Proposal(long change, RuleSet before, RuleSet after) {}

    /** Records an author of a change. All earlier approvals of the change become void. */
    public void authored(JdbcClient client, long change, long revision, Actor actor) {
        table.addAuthor(client, change, revision, actor, now());
    }

    /** Returns the settings in force. */
    public ApprovalSettings settings(JdbcClient client) {
        return settings.current(client);
    }

    /** Returns the rules that count as protected until an emergency has been reviewed. */
    public Set<String> guarded(JdbcClient client) {
        return emergencies.guarded(client);
    }

    /**
     * Returns the current rights of an actor; empty if it has none any more. The account of the actor cannot change until the end
     * of the transaction.
     */
    public Optional<Access> holding(JdbcClient client, String actor) {
        persons.owner(client, actor).ifPresent(account -> Persons.hold(client, account));
        return persons.access(client, actor);
    }

    /** Returns the approvals that a change needs and the approvals that it has. */
    public Standing standing(JdbcClient client, Proposal proposal) {
        List<Protection.Reason> why = Protection.of(proposal.before(), proposal.after(), emergencies.guarded(client));
        if (why.isEmpty()) {
            return Standing.FREE;
        }
        ApprovalSettings current = settings.current(client);
        List<ApprovalTable.Author> authors = table.authors(client, proposal.change());
        Set<String> own = identities(client, authors);
        long revision =
                authors.stream().mapToLong(ApprovalTable.Author::revision).max().orElse(0);
        List<Standing.Given> given = table.of(client, Approval.CHANGE, proposal.change()).stream()
                .map(approval -> {
                    long expires = approval.at() + current.expires().toMillis();
                    return new Standing.Given(
                            approval.actor(),
                            approval.identity(),
                            approval.account(),
                            approval.remark(),
                            approval.at(),
                            expires,
                            moved(approval, proposal, revision)
                                    .or(() -> expired(expires))
                                    .or(() -> lost(client, approval, own, access -> covers(access, proposal, why))));
                })
                .toList();
        return new Standing(current.approvals(), why, given);
    }

    /** Takes the id of the next approval. Callers do this first in a transaction, so that approvals are stored one after another. */
    public long next(JdbcClient client) {
        return Database.next(client, "approval");
    }

    /**
     * Refuses callers who cannot approve a change: programs, its authors, and people without the right to approve every rule that
     * it touches. A caller who can see none of these rules does not learn that the change exists.
     */
    public void requireApprover(JdbcClient client, Access access, Proposal proposal) {
        long id = proposal.change();
        Persons.requirePerson(access);
        if (rules(proposal).noneMatch(access::sees) && !access.seesAll()) {
            throw RefusedException.missing("change " + id + ": unknown (expected: the id of a change)");
        }
        if (isAuthor(client, access, id)) {
            throw RefusedException.forbidden(
                    "change " + id + ": you opened or edited it (expected: the approval of somebody else)");
        }
        List<Protection.Reason> why = Protection.of(proposal.before(), proposal.after(), emergencies.guarded(client));
        if (!covers(access, proposal, why)) {
            throw RefusedException.forbidden("change " + id
                    + ": you may not approve every rule that it touches (expected: an approver of all of them)");
        }
    }

    /**
     * Approves a change. A second approval by the same person has no effect.
     *
     * @param id the id from {@link #next}
     */
    public Standing approve(JdbcClient client, long id, Access access, Proposal proposal, String comment) {
        requireApprover(client, access, proposal);
        Standing standing = standing(client, proposal);
        if (!standing.isRequired()) {
            throw RefusedException.conflict("change " + proposal.change()
                    + ": touches no protected rule (expected: one that needs approval; release it)");
        }
        if (comment.length() > LONGEST_COMMENT) {
            throw RefusedException.invalid(
                    "comment: " + comment.length() + " characters (expected: at most " + LONGEST_COMMENT + ")");
        }
        if (hasApproved(standing, access)) {
            return standing;
        }
        table.add(
                client,
                new Approval(
                        id,
                        Approval.CHANGE,
                        proposal.change(),
                        table.authors(client, proposal.change()).stream()
                                .mapToLong(ApprovalTable.Author::revision)
                                .max()
                                .orElse(0),
                        proposal.after().digest(),
                        proposal.before().version(),
                        access.account(),
                        access.actor().name(),
                        access.actor().identity(),
                        comment.strip(),
                        now()));
        people.log()
                .add(
                        client,
                        access.actor(),
                        new Command.Act(
                                "approve_change",
                                comment.strip(),
                                Map.of(
                                        "change",
                                        proposal.change(),
                                        "digest",
                                        proposal.after().digest(),
                                        "base",
                                        proposal.before().version())));
        return standing(client, proposal);
    }

    /** Returns whether a caller may approve a change and has not approved it yet. */
    public boolean awaits(JdbcClient client, Access access, Proposal proposal, Standing standing) {
        return access.isPerson()
                && !standing.isSatisfied()
                && !isAuthor(client, access, proposal.change())
                && covers(access, proposal, standing.why())
                && !hasApproved(standing, access);
    }

    /** Refuses to release a change that has not enough approvals. */
    public void require(JdbcClient client, Proposal proposal) {
        Standing standing = standing(client, proposal);
        if (!standing.isSatisfied()) {
            throw missing(
                    "change " + proposal.change(),
                    "the approval of somebody who neither opened nor edited it, by POST /api/changes/"
                            + proposal.change() + "/approve; in an emergency release it with \"emergency\": true",
                    standing);
        }
        standing.given().stream().filter(Standing.Given::holds).forEach(given -> persons.account(
                        client, given.account())
                .ifPresent(account -> Persons.hold(client, account)));
    }

    /** Returns the refusal of an action that needs a second person. */
    public static RefusedException missing(String what, String expected, Standing standing) {
        List<String> sentences = standing.why().stream()
                .map(Protection.Reason::sentence)
                .distinct()
                .toList();
        List<String> voided = standing.given().stream()
                .filter(given -> !given.holds())
                .map(given -> given.by() + ": " + given.voidBecause().orElseThrow())
                .toList();
        return RefusedException.forbidden(
                what + ": needs "
                        + (standing.needed() == 1 ? "a second person" : standing.needed() + " other persons")
                        + ", because it changes what is protected: " + shown(sentences)
                        + (voided.isEmpty() ? "" : "; an approval no longer holds: " + voided.get(voided.size() - 1))
                        + " (expected: " + expected + ")",
                Map.of(
                        "approval",
                        "required",
                        "needed",
                        standing.needed(),
                        "given",
                        standing.holding(),
                        "rules",
                        standing.why().stream()
                                .map(Protection.Reason::rule)
                                .distinct()
                                .toList(),
                        "why",
                        sentences,
                        "void",
                        voided));
    }

    private static String shown(List<String> sentences) {
        return sentences.get(0) + (sentences.size() == 1 ? "" : "; and " + (sentences.size() - 1) + " more");
    }

    /** Returns whether a person is one of the authors of a change. */
    boolean isAuthor(JdbcClient client, Access access, long change) {
        Set<String> own = identities(client, table.authors(client, change));
        return own.contains(access.actor().identity());
    }

    private Set<String> identities(JdbcClient client, List<ApprovalTable.Author> authors) {
        return authors.stream()
                .flatMap(author -> persons.identities(client, author.actor(), author.identity()).stream())
                .collect(Collectors.toSet());
    }

    private static boolean hasApproved(Standing standing, Access access) {
        return standing.given().stream()
                .anyMatch(given ->
                        given.holds() && given.identity().equals(access.actor().identity()));
    }

    private static Optional<String> moved(Approval approval, Proposal proposal, long revision) {
        if (approval.revision() != revision) {
            return Optional.of("the change was edited since");
        }
        return approval.base() == proposal.before().version()
                        && approval.digest().equals(proposal.after().digest())
                ? Optional.empty()
                : Optional.of("version " + proposal.before().version() + " is in force since");
    }

    private Optional<String> expired(long expiresAt) {
        return expiresAt <= now() ? Optional.of("it expired at " + Instant.ofEpochMilli(expiresAt)) : Optional.empty();
    }

    /** Returns the reason why a person's approval no longer counts; empty if it still counts. */
    Optional<String> lost(
            JdbcClient client, Approval approval, Set<String> authors, java.util.function.Predicate<Access> covers) {
        Optional<Account> account = persons.account(client, approval.account()).filter(found -> !found.isDisabled());
        if (account.isEmpty()) {
            return Optional.of("the account is disabled");
        }
        if (authors.contains(approval.identity())
                || authors.contains(account.get().identity())) {
            return Optional.of("it is by one of the authors");
        }
        return covers.test(account.get().access())
                ? Optional.empty()
                : Optional.of("the person no longer has the right to approve it");
    }

    /** Returns whether a caller may approve every rule that a change touches or weakens. */
    static boolean covers(Access access, Proposal proposal, List<Protection.Reason> why) {
        Stream<Rule> weakened = why.stream().anyMatch(Protection.Reason::weakensOthers)
                ? proposal.before().rules().stream().filter(rule -> rule.about().isProtected())
                : Stream.empty();
        return Stream.concat(rules(proposal), weakened).allMatch(rule -> access.may(Right.APPROVE, rule));
    }

    /** Returns the rules that a change touches, before and after it. */
    private static Stream<Rule> rules(Proposal proposal) {
        RuleSet before = proposal.before();
        RuleSet after = proposal.after();
        return Protection.touched(before, after).stream()
                .flatMap(id -> Stream.concat(before.rule(id).stream(), after.rule(id).stream()));
    }

    private long now() {
        return people.clock().epochMicros() / 1000;
    }
}
