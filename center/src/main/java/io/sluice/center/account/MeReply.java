package io.sluice.center.account;

import io.sluice.center.access.Access;
import io.sluice.center.access.GrantsJson;
import io.sluice.center.access.Right;
import io.sluice.center.people.Account;
import io.sluice.center.signin.SessionCsrf;
import io.sluice.center.signin.SignedIn;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import tools.jackson.databind.JsonNode;

/**
 * The signed-in person, for the API.
 *
 * @param rights the rights over at least some rules
 * @param everywhere the rights over all rules
 */
public record MeReply(
        String user,
        String displayName,
        String email,
        String origin,
        JsonNode roles,
        List<String> rights,
        List<String> everywhere,
        List<FactorReply> factors,
        boolean fresh,
        String csrf) {

    private static final String PREFIX = "FACTOR_";

    /** A factor that was presented in this session. */
    public record FactorReply(String factor, Instant at) {}

    static MeReply of(Account account, SignedIn signedIn, boolean fresh) {
        Access access = signedIn.access();
        return new MeReply(
                account.name(),
                account.displayName(),
                account.email(),
                account.origin(),
                GrantsJson.write(account.grants()),
                rights(access::may),
                rights(access::mayEverywhere),
                signedIn.getAuthorities().stream()
                        .filter(FactorGrantedAuthority.class::isInstance)
                        .map(authority -> factor((FactorGrantedAuthority) authority))
                        .toList(),
                fresh,
                SessionCsrf.of(signedIn.session().orElseThrow()));
    }

    private static List<String> rights(Predicate<Right> isHad) {
        return Arrays.stream(Right.values()).filter(isHad).map(Right::word).toList();
    }

    private static FactorReply factor(FactorGrantedAuthority factor) {
        String name = factor.getAuthority();
        return new FactorReply(
                (name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name).toLowerCase(Locale.ROOT),
                factor.getIssuedAt());
    }
}
