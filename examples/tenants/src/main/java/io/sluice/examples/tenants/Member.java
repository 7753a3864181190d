package io.sluice.examples.tenants;

import java.util.List;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.userdetails.User;

/** A user with tenant and plan. Both were looked up here, not sent by the caller. */
final class Member extends User {

    private static final long serialVersionUID = 1;

    private final String tenant;
    private final String plan;

    Member(String name, String password, String role, String tenant, String plan) {
        super(name, password, List.of(new SimpleGrantedAuthority("ROLE_" + role)));
        this.tenant = tenant;
        this.plan = plan;
    }

    String tenant() {
        return tenant;
    }

    String plan() {
        return plan;
    }
}
