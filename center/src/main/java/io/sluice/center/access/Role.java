package io.sluice.center.access;

import static io.sluice.center.access.Right.APPROVE;
import static io.sluice.center.access.Right.EDIT;
import static io.sluice.center.access.Right.MANAGE_PEOPLE;
import static io.sluice.center.access.Right.MANAGE_TOKENS;
import static io.sluice.center.access.Right.OPERATE;
import static io.sluice.center.access.Right.READ;
import static io.sluice.center.access.Right.RELEASE;
import static io.sluice.center.access.Right.REVEAL;
import static io.sluice.center.access.Right.SEE_FLEET;
import static io.sluice.center.access.Right.SEE_LOG;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** A set of rights that an account can have. */
public enum Role {
    ADMINISTRATOR("administrator", Right.values()),
    /** An administrator with rights over one tenant only. */
    TENANT_ADMINISTRATOR("tenant_administrator", READ, EDIT, RELEASE, APPROVE, OPERATE, MANAGE_PEOPLE, MANAGE_TOKENS),
    EDITOR("editor", READ, EDIT, RELEASE, SEE_FLEET),
    APPROVER("approver", READ, APPROVE, SEE_FLEET, SEE_LOG),
    /** A person on call, without the right to edit. */
    OPERATOR("operator", READ, OPERATE, SEE_FLEET, SEE_LOG, REVEAL),
    VIEWER("viewer", READ, SEE_FLEET);

    private final String word;

    @SuppressWarnings("ImmutableEnumChecker") // a copy that cannot be changed
    private final Set<Right> rights;

    Role(String word, Right... rights) {
        this.word = word;
        this.rights = Set.of(rights);
    }

    public boolean has(Right right) {
        return rights.contains(right);
    }

    /** Returns the name in the API and the database. */
    public String word() {
        return word;
    }

    /** Returns the role with this name. */
    public static Optional<Role> find(String word) {
        return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
    }
}
