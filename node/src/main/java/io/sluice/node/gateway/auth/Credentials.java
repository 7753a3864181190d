package io.sluice.node.gateway.auth;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.AuthSettings;
import io.sluice.node.gateway.config.AuthSettings.KeySource;
import io.sluice.rules.watch.Looks;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tokens and API keys. If a request carries both a token and an API key, both must be valid and identify the same caller. An
 * {@code Authorization} header with another scheme is ignored, and a malformed one is refused.
 */
final class Credentials implements Authenticators {

    private static final Optional<String> CHALLENGE = Optional.of("Bearer");
    private static final Optional<String> KEY_CHALLENGE = Optional.of("ApiKey");
    private static final Authentication NOTHING = new Authentication.Nothing();
    private static final Authentication BAD_KEY =
            new Authentication.Refused(401, "api key: unknown (expected: a valid key)", KEY_CHALLENGE);
    private static final Authentication AMBIGUOUS = new Authentication.Refused(
            400, "authorization: malformed (expected: a scheme, a space and one credential)", Optional.empty());
    private static final Authentication NO_KEYS_YET = new Authentication.Refused(
            503,
            "token: cannot be verified, because the issuer's keys are not available yet (expected: try again later)",
            Optional.empty());

    private static final Authentication TOO_MANY_TOKENS = new Authentication.Refused(
            503,
            "token: cannot be verified, because too many others are waiting (expected: try again later)",
            Optional.empty());

    private final @Nullable TokenCheck tokens;
    private final TokenThreads threads;
    private final @Nullable KeySupply issuers;
    private final @Nullable WatchedFile<ApiKeyTable> apiKeys;
    private final String keyHeader;

    private Credentials(
            AuthSettings settings,
            Clock clock,
            TokenThreads threads,
            @Nullable KeySupply issuers,
            @Nullable WatchedFile<ApiKeyTable> apiKeys) {
        this.tokens =
                settings.tokens().map(wanted -> new TokenCheck(wanted, clock)).orElse(null);
        this.threads = threads;
        this.issuers = issuers;
        this.apiKeys = apiKeys;
        this.keyHeader = settings.apiKeys().map(AuthSettings.ApiKeys::header).orElse("");
    }

    static Credentials open(AuthSettings settings, Clock clock) throws AuthUnreadableException {
        return open(settings, clock, new TokenThreads());
    }

    static Credentials open(AuthSettings settings, Clock clock, TokenThreads threads) throws AuthUnreadableException {
        AuthSettings.Tokens wanted = settings.tokens().orElse(null);
        KeySupply issuers = wanted == null ? null : supply(wanted.jwks(), clock);
        try {
            AuthSettings.ApiKeys keys = settings.apiKeys().orElse(null);
            return new Credentials(settings, clock, threads, issuers, keys == null ? null : table(keys.file(), clock));
        } catch (AuthUnreadableException | RuntimeException e) {
            if (issuers != null) {
                issuers.close();
            }
            throw e;
        }
    }

    private static KeySupply supply(KeySource source, Clock clock) throws AuthUnreadableException {
        if (source instanceof KeySource.Url url) {
            return FetchedKeys.open(url.uri(), clock);
        }
        return KeyFile.open(((KeySource.File) source).path(), looks(clock));
    }

    private static WatchedFile<ApiKeyTable> table(Path file, Clock clock) throws AuthUnreadableException {
        return WatchedFile.open(file, text -> ApiKeyTable.read(file.toString(), text), looks(clock));
    }

    private static Looks looks(Clock clock) {
        return Looks.onThread("sluice-keys", clock, Looks.OFTEN);
    }

    @Override
    public CompletionStage<Authentication> authenticate(HttpServerRequest request) {
        List<String> authorizations = request.headers().getAll(HttpHeaders.AUTHORIZATION);
        List<String> shown = apiKeys == null ? List.of() : request.headers().getAll(keyHeader);
        if (authorizations.size() > 1 || shown.size() > 1) {
            return CompletableFuture.completedFuture(new Authentication.Refused(
                    400, "credentials: several of the same kind (expected: one)", Optional.empty()));
        }
        Authorization authorization = tokens == null || authorizations.isEmpty()
                ? Authorization.NONE
                : Authorization.read(authorizations.get(0));
        if (authorization.isAmbiguous()) {
            return CompletableFuture.completedFuture(AMBIGUOUS);
        }
        Authentication key = shown.isEmpty() ? NOTHING : ofKey(shown.get(0));
        String token = authorization.token();
        if (token == null || key instanceof Authentication.Refused) {
            return CompletableFuture.completedFuture(key);
        }
        return ofToken(token).thenApply(verified -> both(verified, key));
    }

    private Authentication ofKey(String key) {
        WatchedFile<ApiKeyTable> table = apiKeys;
        return table == null
                ? NOTHING
                : table.latest()
                        .find(key)
                        .<Authentication>map(Authentication.Verified::new)
                        .orElse(BAD_KEY);
    }

    private CompletionStage<Authentication> ofToken(String token) {
        TokenCheck check = tokens;
        KeySupply supply = issuers;
        if (check == null || supply == null) {
            return CompletableFuture.completedFuture(NOTHING);
        }
        KeyRing keys = supply.latest();
        if (keys == null) {
            return withNewer(token, null, supply, check);
        }
        TokenCheck.Outcome known = check.recall(token, keys);
        return known != null
                ? CompletableFuture.completedFuture(said(known))
                : threads.run(() -> check.check(token, keys))
                        .thenCompose(first -> first instanceof TokenCheck.Outcome.KeyUnknown
                                ? withNewer(token, keys, supply, check)
                                : CompletableFuture.completedFuture(said(first)));
    }

    private CompletionStage<Authentication> withNewer(
            String token, @Nullable KeyRing keys, KeySupply supply, TokenCheck check) {
        return supply.newer().thenCompose(newer -> {
            if (newer == null) {
                return CompletableFuture.completedFuture(NO_KEYS_YET);
            }
            return newer == keys
                    ? CompletableFuture.completedFuture(said(new TokenCheck.Outcome.KeyUnknown()))
                    : threads.run(() -> check.check(token, newer)).thenApply(Credentials::said);
        });
    }

    private static Authentication said(TokenCheck.Outcome outcome) {
        if (outcome instanceof TokenCheck.Outcome.Good good) {
            return new Authentication.Verified(good.who());
        }
        if (outcome instanceof TokenCheck.Outcome.NotChecked) {
            return TOO_MANY_TOKENS;
        }
        String why = outcome instanceof TokenCheck.Outcome.Bad bad ? bad.why() : "signed with an unknown key";
        return new Authentication.Refused(
                401, "token: " + why + " (expected: a valid token)", Optional.of("Bearer error=\"invalid_token\""));
    }

    private static Authentication both(Authentication token, Authentication key) {
        if (!(token instanceof Authentication.Verified one) || !(key instanceof Authentication.Verified other)) {
            return token;
        }
        Map<String, String> all = new HashMap<>(one.who().attributes());
        for (Map.Entry<String, String> each : other.who().attributes().entrySet()) {
            String had = all.put(each.getKey(), each.getValue());
            if (had != null && !had.equals(each.getValue())) {
                return new Authentication.Refused(
                        400,
                        "credentials: token and key differ in " + each.getKey()
                                + " (expected: only one of the two, or equal values)",
                        Optional.empty());
            }
        }
        return new Authentication.Verified(new Identity(all));
    }

    @Override
    public Optional<String> challenge() {
        return tokens == null ? KEY_CHALLENGE : CHALLENGE;
    }

    @Override
    public Set<String> withheld() {
        return apiKeys == null ? Set.of() : Set.of(keyHeader);
    }

    @Override
    public List<String> findings() {
        return Stream.of(issuers == null ? "" : issuers.fault(), apiKeys == null ? "" : apiKeys.fault())
                .filter(fault -> !fault.isEmpty())
                .toList();
    }

    @Override
    public void close() {
        if (issuers != null) {
            issuers.close();
        }
        if (apiKeys != null) {
            apiKeys.close();
        }
    }
}
