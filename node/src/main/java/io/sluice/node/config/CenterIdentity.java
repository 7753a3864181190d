package io.sluice.node.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The identity servers in the section {@code center}. Immutable.
 *
 * @param checkEvery the interval at which the servers are asked about people who do not sign in
 */
public record CenterIdentity(List<Oidc> oidc, List<Ldap> ldap, Optional<Duration> checkEvery) {

    /** No servers. */
    public static final CenterIdentity NONE = new CenterIdentity(List.of(), List.of(), Optional.empty());

    public CenterIdentity {
        oidc = List.copyOf(oidc);
        ldap = List.copyOf(ldap);
    }

    /**
     * A server with OpenID Connect.
     *
     * @param hosts further hosts that may serve its endpoints
     */
    public record Oidc(
            String name,
            String title,
            URI issuer,
            String clientId,
            Path clientSecretFile,
            List<String> scopes,
            List<String> hosts,
            Optional<Path> ca,
            String userClaim,
            String rolesClaim,
            Optional<String> tenantClaim,
            List<GroupRole> roles) {

        public Oidc {
            scopes = List.copyOf(scopes);
            hosts = List.copyOf(hosts);
            roles = List.copyOf(roles);
        }
    }

    /** A directory with LDAP. */
    public record Ldap(
            String name,
            URI url,
            boolean startTls,
            Optional<Path> ca,
            Optional<String> bindDn,
            Optional<Path> bindPasswordFile,
            String userBase,
            String userFilter,
            String emailAttribute,
            String idAttribute,
            String groupBase,
            String groupFilter,
            String groupAttribute,
            boolean isNested,
            List<GroupRole> roles) {

        public Ldap {
            roles = List.copyOf(roles);
        }
    }

    /**
     * The role of all members of a group.
     *
     * @param tenant the tenant of the role; {@code *} for all rules
     * @param labels the labels that a rule must have; empty for all rules
     */
    public record GroupRole(String group, String role, Optional<String> tenant, Map<String, String> labels) {

        public GroupRole {
            labels = Map.copyOf(labels);
        }
    }
}
