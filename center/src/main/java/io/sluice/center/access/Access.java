package io.sluice.center.access;

import io.sluice.center.command.Actor;
import io.sluice.rules.model.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rights of the author of a request. They are derived from the credential, never from the content of a request. Immutable.
 *
 * @param account the id of the account; 0 for the token of the machine
 * @param grants the current grants of the account
 * @param scopes the scopes of the token; empty for a person
 * @param tenant the only tenant of the token
 */
public record Access(
        Actor actor, long account, List<Grant> grants, Optional<Set<Scope>> scopes, Optional<String> tenant) {

    /** The access of the token in the file {@code admin-token}. It has no factor, so it cannot call endpoints that need a fresh one. */
    public static final Access MACHINE = new Access(
            new Actor("token:admin"), 0, List.of(Grant.of(Role.ADMINISTRATOR)), Optional.empty(), Optional.empty());

    public Access {
        grants = List.copyOf(grants);
        scopes = scopes.map(Set::copyOf);
    }

    /** Returns the access of a signed-in person. */
    public static Access person(Actor actor, long account, List<Grant> grants) {
        return new Access(actor, account, grants, Optional.empty(), Optional.empty());
    }

    /** Returns the same access from an address. */
    public Access at(String address) {
        return new Access(actor.at(address), account, grants, scopes, tenant);
    }

    /** Returns true for a signed-in person, and false for a program with a token. */
    public boolean isPerson() {
        return scopes.isEmpty() && account != 0;
    }

    /** Returns whether the author has a right over at least some rules. */
    public boolean may(Right right) {
        return isInScope(right)
                && (isNode(right)
                        || grants.stream().anyMatch(grant -> grant.role().has(right)));
    }

    /** Returns whether the author has a right over all rules. */
    public boolean mayEverywhere(Right right) {
        return isInScope(right)
                && (isNode(right)
                        || (tenant.isEmpty()
                                && grants.stream()
                                        .anyMatch(grant -> grant.role().has(right) && grant.isEverywhere())));
    }

    /** Returns whether the author has a right over a rule. */
    public boolean may(Right right, Rule rule) {
        return isInScope(right)
                && (tenant.isEmpty() || tenant.equals(rule.about().tenant()))
                && grants.stream().anyMatch(grant -> grant.role().has(right) && grant.covers(rule));
    }

    /** Returns whether the author has a right over all rules of a grant. */
    public boolean may(Right right, Grant over) {
        return isInScope(right)
                && (tenant.isEmpty() || tenant.equals(over.tenant()))
                && grants.stream().anyMatch(grant -> grant.role().has(right) && grant.includes(over));
    }

    /** Returns whether the author has all rights of a grant, and may therefore give the grant to other people. */
    public boolean mayGive(Grant grant) {
        return Arrays.stream(Right.values())
                .filter(right -> grant.role().has(right))
                .filter(right -> grant.isEverywhere() || !right.isOnlyEverywhere())
                .allMatch(right -> may(right, grant));
    }

    public boolean sees(Rule rule) {
        return may(Right.READ, rule);
    }

    /** Returns whether the author may read all rules. */
    public boolean seesAll() {
        return mayEverywhere(Right.READ);
    }

    private boolean isInScope(Right right) {
        return scopes.isEmpty() || scopes.get().stream().anyMatch(scope -> scope.has(right));
    }

    private boolean isNode(Right right) {
        return right == Right.REPORT && scopes.isPresent() && scopes.get().contains(Scope.NODE);
    }
}
