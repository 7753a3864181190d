package io.sluice.center;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** Everybody who can call a center: all roles and tokens, for all rules and for those of the tenant acme. */
final class Callers {

    private final Center center;
    private final People people;
    private final Map<String, List<ApiClient>> callers = new LinkedHashMap<>();
    private final Map<String, Account> accounts = new HashMap<>();

    private Callers(Center center) {
        this.center = center;
        this.people = center.people();
    }

    static Callers of(Center center) {
        Callers callers = new Callers(center);
        callers.fill();
        return callers;
    }

    Set<String> columns() {
        return callers.keySet();
    }

    /** Returns callers who must get the same answers. */
    List<ApiClient> get(String column) {
        return callers.get(column);
    }

    /** Returns the same callers; people have another session. */
    List<ApiClient> again(String column) {
        Account account = accounts.get(column);
        return account == null ? get(column) : List.of(ApiClient.person(center, account));
    }

    private void fill() {
        Account owner = ApiClient.account(center, "owner", Grant.of(Role.ADMINISTRATOR));
        Account left = ApiClient.account(center, "left", Grant.of(Role.ADMINISTRATOR));
        String session = people.sessions().begin(left, FactorGrantedAuthority.PASSWORD_AUTHORITY);
        ApiClient orphan = token(left, Scope.READ_ONLY, "");
        people.database().write(client -> people.accounts().replace(client, left.disabled(1)));
        callers.put(
                "none",
                List.of(
                        ApiClient.nobody(center),
                        ApiClient.session(center, session),
                        orphan,
                        ApiClient.of(center).withToken("slc_nothing"),
                        ApiClient.of(center).withToken("")));
        callers.put("node", List.of(token(owner, Scope.NODE, ""), token(owner, Scope.NODE, "acme")));
        person("admin", Grant.of(Role.ADMINISTRATOR));
        callers.put("machine", List.of(ApiClient.of(center)));
        person("tenant", Grant.of(Role.TENANT_ADMINISTRATOR, "acme"));
        person("editor", Grant.of(Role.EDITOR));
        person("approver", Grant.of(Role.APPROVER));
        person("operator", Grant.of(Role.OPERATOR));
        person("viewer", Grant.of(Role.VIEWER));
        person("acmeEditor", Grant.of(Role.EDITOR, "acme"));
        person("acmeApprover", Grant.of(Role.APPROVER, "acme"));
        person("acmeOperator", Grant.of(Role.OPERATOR, "acme"));
        person("acmeViewer", Grant.of(Role.VIEWER, "acme"));
        person("label", new Grant(Role.EDITOR, Optional.empty(), Map.of("team", "blue")));
        callers.put("read", List.of(token(owner, Scope.READ_ONLY, "")));
        callers.put("apply", List.of(token(owner, Scope.APPLY, "")));
        callers.put("operate", List.of(token(owner, Scope.OPERATE_RULES, "")));
        Account own = ApiClient.account(center, "acmeOwner", Grant.of(Role.TENANT_ADMINISTRATOR, "acme"));
        callers.put("acmeRead", List.of(token(owner, Scope.READ_ONLY, "acme"), token(own, Scope.READ_ONLY, "")));
        callers.put("acmeApply", List.of(token(owner, Scope.APPLY, "acme"), token(own, Scope.APPLY, "")));
        callers.put(
                "acmeOperate", List.of(token(owner, Scope.OPERATE_RULES, "acme"), token(own, Scope.OPERATE_RULES, "")));
    }

    private void person(String name, Grant grant) {
        Account account = ApiClient.account(center, name, grant);
        accounts.put(name, account);
        callers.put(name, List.of(ApiClient.person(center, account)));
    }

    private ApiClient token(Account owner, Scope scope, String tenant) {
        String secret = people.database()
                .write(client -> people.tokens()
                        .create(
                                client,
                                owner.id(),
                                scope.word(),
                                Set.of(scope),
                                tenant.isEmpty() ? Optional.empty() : Optional.of(tenant),
                                Long.MAX_VALUE))
                .secret();
        return ApiClient.of(center).withToken(secret);
    }
}
