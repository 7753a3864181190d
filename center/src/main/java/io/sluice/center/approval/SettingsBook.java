package io.sluice.center.approval;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.command.Command;
import io.sluice.center.database.Database;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Changes the settings for approvals. A change always needs the approval of other people, as many as the settings in force
 * require for a protected rule. Thread-safe.
 */
public final class SettingsBook {

    private final People people;
    private final Persons persons;
    private final Approvals approvals;
    private final Database database;
    private final SettingsTable table = new SettingsTable();
    private final ApprovalTable signatures = new ApprovalTable();

    public SettingsBook(People people, Approvals approvals) {
        this.people = people;
        this.persons = new Persons(people);
        this.approvals = approvals;
        this.database = people.database();
    }

    /** The settings in force, and the proposals that wait for approval. */
    public record View(ApprovalSettings settings, List<SettingsProposal> waiting) {}

    public View view() {
        return database.read(client -> new View(table.current(client), table.waiting(client)));
    }

    /**
     * Proposes other settings. They have no effect until other people approve them.
     *
     * @param wish computes the proposed settings from the settings in force
     */
    public SettingsProposal propose(Access access, UnaryOperator<ApprovalSettings> wish, String reason) {
        return database.write(client -> {
            ApprovalSettings current = table.current(client);
            ApprovalSettings settings = wish.apply(current).withRevision(current.revision());
            if (settings.equals(current)) {
                throw RefusedException.conflict(
                        "settings: revision " + current.revision() + " has these values (expected: a difference)");
            }
            SettingsProposal proposal = new SettingsProposal(
                    Database.next(client, "settings_proposal"),
                    settings,
                    reason,
                    access.actor().name(),
                    access.actor().identity(),
                    now(),
                    SettingsProposal.WAITING);
            table.add(client, proposal);
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("proposal", proposal.id());
            details.put("before", described(current));
            details.put("after", described(settings));
            long unused = people.log()
                    .add(client, access.actor(), new Command.Act("propose_approval_settings", reason, details));
            return proposal;
        });
    }

    /** Approves a proposal. The proposed settings take effect as soon as enough people have approved them. */
    public View approve(Access access, long id, String comment) {
        return database.write(client -> {
            long number = approvals.next(client);
            SettingsProposal proposal = requireReviewable(client, access, id);
            ApprovalSettings current = table.current(client);
            if (proposal.settings().revision() != current.revision()) {
                throw RefusedException.conflict(
                        "proposal " + id + ": the settings were changed since (expected: a proposal on revision "
                                + current.revision() + "; reject it and make another one)",
                        Map.of("revision", current.revision()));
            }
            requireEnough(client, proposal.settings().approvals());
            boolean isNew = false;
            if (holding(client, proposal, current).stream()
                    .noneMatch(each -> each.identity().equals(access.actor().identity()))) {
                signatures.add(client, number, Approval.SETTINGS, id, current.revision(), access, comment, now());
                isNew = true;
            }
            List<Approval> given = holding(client, proposal, current);
            boolean isEnough = given.stream().map(Approval::identity).distinct().count() >= current.approvals();
            table.move(client, id, isEnough ? SettingsProposal.APPROVED : SettingsProposal.WAITING);
            if (isNew || isEnough) {
                logApproval(client, access, comment, proposal, current, isEnough);
            }
            if (isEnough) {
                given.forEach(each ->
                        persons.account(client, each.account()).ifPresent(account -> Persons.hold(client, account)));
                table.add(client, proposal.settings().withRevision(current.revision() + 1), now());
            }
            return new View(table.current(client), table.waiting(client));
        });
    }

    /** Closes a proposal without effect. */
    public View reject(Access access, long id, String reason) {
        return database.write(client -> {
            SettingsProposal proposal = requireWaiting(client, id);
            table.move(client, proposal.id(), SettingsProposal.REJECTED);
            log(client, access, "reject_approval_settings", id, reason);
            return new View(table.current(client), table.waiting(client));
        });
    }

    /** Returns the proposals that a caller may approve and has not approved yet. */
    public List<SettingsProposal> awaiting(JdbcClient client, Access access) {
        ApprovalSettings current = table.current(client);
        return table.waiting(client).stream()
                .filter(proposal -> access.isPerson() && access.mayEverywhere(Right.APPROVE))
                .filter(proposal -> proposal.settings().revision() == current.revision())
                .filter(proposal ->
                        !authors(client, proposal).contains(access.actor().identity()))
                .filter(proposal -> holding(client, proposal, current).stream()
                        .noneMatch(each -> each.identity().equals(access.actor().identity())))
                .toList();
    }

    private SettingsProposal requireReviewable(JdbcClient client, Access access, long id) {
        Persons.requirePerson(access);
        SettingsProposal proposal = requireWaiting(client, id);
        if (authors(client, proposal).contains(access.actor().identity())) {
            throw RefusedException.forbidden(
                    "proposal " + id + ": it is yours (expected: the approval of somebody else)");
        }
        if (!access.mayEverywhere(Right.APPROVE)) {
            throw RefusedException.forbidden(
                    "proposal " + id + ": you may not approve all rules (expected: an approver of all of them)");
        }
        return proposal;
    }

    private SettingsProposal requireWaiting(JdbcClient client, long id) {
        SettingsProposal proposal = table.find(client, id)
                .orElseThrow(() -> RefusedException.missing(
                        "proposal " + id + ": unknown (expected: the id of a proposal for the approval settings)"));
        if (!proposal.state().equals(SettingsProposal.WAITING)) {
            throw RefusedException.conflict(
                    "proposal " + id + ": " + proposal.state() + " (expected: one that waits)",
                    Map.of("state", proposal.state()));
        }
        return proposal;
    }

    private Set<String> authors(JdbcClient client, SettingsProposal proposal) {
        return persons.identities(client, proposal.actor(), proposal.identity());
    }

    private List<Approval> holding(JdbcClient client, SettingsProposal proposal, ApprovalSettings current) {
        Set<String> authors = authors(client, proposal);
        return signatures.of(client, Approval.SETTINGS, proposal.id()).stream()
                .filter(each -> each.base() == current.revision())
                .filter(each -> each.at() + current.expires().toMillis() > now())
                .filter(each -> approvals
                        .lost(client, each, authors, access -> access.mayEverywhere(Right.APPROVE))
                        .isEmpty())
                .toList();
    }

    /**
     * Refuses settings that require more approvals than there are approvers, because then no later change, not even of these
     * settings, could be approved.
     */
    private void requireEnough(JdbcClient client, long approvals) {
        long able = people.accounts().all(client).stream()
                .filter(account -> !account.isDisabled() && account.access().mayEverywhere(Right.APPROVE))
                .map(Account::identity)
                .distinct()
                .count();
        if (able <= approvals) {
            throw RefusedException.conflict("approvals: " + approvals + ", but only " + able
                    + " persons may approve all rules (expected: at least one person more than approvals)");
        }
    }

    private void logApproval(
            JdbcClient client,
            Access access,
            String comment,
            SettingsProposal proposal,
            ApprovalSettings current,
            boolean isEnough) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("proposal", proposal.id());
        details.put("in_force", isEnough);
        details.put("before", described(current));
        details.put("after", described(proposal.settings()));
        long unused = people.log()
                .add(client, access.actor(), new Command.Act("approve_approval_settings", comment, details));
    }

    private static Map<String, Object> described(ApprovalSettings settings) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("approvals", settings.approvals());
        fields.put("expires_millis", settings.expires().toMillis());
        fields.put("emergency_millis", settings.emergency().toMillis());
        fields.put("raise_percent", settings.raisePercent());
        return fields;
    }

    private void log(JdbcClient client, Access access, String kind, long id, String reason) {
        long unused = people.log().add(client, access.actor(), new Command.Act(kind, reason, Map.of("proposal", id)));
    }

    private long now() {
        return people.clock().epochMicros() / 1000;
    }
}
