package io.sluice.center.access;

import static io.sluice.center.access.Right.EDIT;
import static io.sluice.center.access.Right.OPERATE;
import static io.sluice.center.access.Right.READ;
import static io.sluice.center.access.Right.RELEASE;
import static io.sluice.center.access.Right.REPORT;
import static io.sluice.center.access.Right.SEE_FLEET;
import static io.sluice.center.access.Right.SEE_LOG;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The purpose of a token. A token has at most the rights of its scopes, and at most the rights of its owner. No scope approves or manages
 * people or tokens.
 */
public enum Scope {
    /**
     * The scope of nodes. It does not depend on the rights of the owner, so that nodes keep working after their administrators have left.
     */
    NODE("node", REPORT),
    READ_ONLY("read", READ, SEE_FLEET, SEE_LOG),
    /** The scope of {@code ./sluice apply} and similar programs. */
    APPLY("apply", READ, SEE_FLEET, EDIT, RELEASE),
    /** The scope for overrides, switches and rollbacks. */
    OPERATE_RULES("operate", READ, SEE_FLEET, OPERATE);

    private final String word;

    @SuppressWarnings("ImmutableEnumChecker") // a copy that cannot be changed
    private final Set<Right> rights;

    Scope(String word, Right... rights) {
        this.word = word;
        this.rights = Set.of(rights);
    }

    public boolean has(Right right) {
        return rights.contains(right);
    }

    /** Returns whether these grants include the rights of the scope, except the rights to see the fleet and the log. */
    public boolean isWithin(List<Grant> grants) {
        return rights.stream()
                .filter(right -> right != SEE_FLEET && right != SEE_LOG)
                .allMatch(
                        right -> grants.stream().anyMatch(grant -> grant.role().has(right)));
    }

    /** Returns the name in the API and the database. */
    public String word() {
        return word;
    }

    /** Returns the scope with this name. */
    public static Optional<Scope> find(String word) {
        return Arrays.stream(values()).filter(scope -> scope.word.equals(word)).findFirst();
    }
}
