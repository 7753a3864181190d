package io.sluice.node.gateway.auth;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetBasedJWKSource;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetRetrievalException;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.URLBasedJWKSetSource;
import com.nimbusds.jose.proc.SecurityContext;
import io.sluice.core.time.Clock;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An issuer's keys, fetched and cached by Nimbus on a dedicated thread. They are fetched every five minutes, and immediately when a token
 * names an unknown key, but at most every ten seconds. If the issuer is unavailable, the last good keys stay in use, and it is asked
 * again every two seconds.
 *
 * <p>This class controls the fetches beyond the cache itself. Nimbus' rate limit allows two fetches in each interval and has only one
 * interval, whether there are keys or not. Its refresh ahead uses the system's time, which tests cannot control, and is useless here
 * because no request waits while old keys are refreshed. Nimbus' source receives the time of the injected clock.
 */
final class FetchedKeys implements KeySupply {

    private static final Logger LOG = LoggerFactory.getLogger(FetchedKeys.class);
    private static final Duration FRESH = Duration.ofMinutes(5);
    private static final Duration AT_LEAST = Duration.ofSeconds(10);
    private static final Duration FIRST_AT_LEAST = Duration.ofSeconds(1);
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(2);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    /** Only one thread uses Nimbus, so no thread ever waits this long for another. */
    private static final Duration MAY_WAIT = Duration.ofSeconds(15);

    private final URI uri;
    private final Clock clock;
    private final JWKSetSource<SecurityContext> source;
    private final ExecutorService fetching;
    private volatile @Nullable KeyRing latest;
    private volatile String fault = "keys have not been fetched yet";
    private boolean fetched;
    private long fetchedNanos;
    private boolean closed;
    private @Nullable CompletableFuture<@Nullable KeyRing> asking;
    private Clock.@Nullable Alarm next;

    /** Used only by the fetching thread. */
    private @Nullable JWKSet known;

    private FetchedKeys(URI uri, Clock clock) {
        this.uri = uri;
        this.clock = clock;
        this.source = source();
        this.fetching = Executors.newSingleThreadExecutor(task -> {
            Thread fetcher = new Thread(task, "sluice-issuer-keys");
            fetcher.setDaemon(true);
            return fetcher;
        });
    }

    /** Starts fetching. */
    static FetchedKeys open(URI uri, Clock clock) {
        FetchedKeys keys = new FetchedKeys(uri, clock);
        keys.look();
        return keys;
    }

    private JWKSetSource<SecurityContext> source() {
        try {
            JWKSource<SecurityContext> built = JWKSourceBuilder.create(new Issuer(uri.toURL(), clock))
                    .cache(FRESH.toMillis(), MAY_WAIT.toMillis())
                    .outageTolerantForever()
                    .refreshAheadCache(false)
                    .rateLimited(false)
                    .build();
            return ((JWKSetBasedJWKSource<SecurityContext>) built).getJWKSetSource();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("jwks: not a URL (expected: https://…)", e);
        }
    }

    @Override
    public @Nullable KeyRing latest() {
        return latest;
    }

    /** Fetches newer keys if that is due. Tokens that request keys in the meantime wait for the same answer. */
    @Override
    public synchronized CompletionStage<@Nullable KeyRing> newer() {
        if (asking != null) {
            return asking.thenCompose(any -> newer());
        }
        return !closed && isDue(latest == null ? FIRST_AT_LEAST : AT_LEAST)
                ? ask(JWKSetCacheRefreshEvaluator.forceRefresh())
                : CompletableFuture.completedFuture(latest);
    }

    @Override
    public String fault() {
        return fault;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
        fetching.shutdown();
    }

    private synchronized void look() {
        if (closed) {
            return;
        }
        boolean wanting = latest == null || !fault.isEmpty();
        if (asking == null && (!wanting || isDue(AGAIN_AFTER))) {
            ask(wanting ? JWKSetCacheRefreshEvaluator.forceRefresh() : JWKSetCacheRefreshEvaluator.noRefresh());
        }
        next = clock.at(clock.nanoTime() + LOOK_EVERY.toNanos(), this::look);
    }

    /** Measures from the end of a fetch, so that tokens that waited for it do not start another. */
    private boolean isDue(Duration sinceLast) {
        return !fetched || clock.nanoTime() - fetchedNanos >= sinceLast.toNanos();
    }

    private CompletionStage<@Nullable KeyRing> ask(JWKSetCacheRefreshEvaluator how) {
        CompletableFuture<@Nullable KeyRing> told = new CompletableFuture<>();
        asking = told;
        fetching.execute(() -> {
            try {
                take(source.getJWKSet(how, TimeUnit.NANOSECONDS.toMillis(clock.nanoTime()), null));
            } catch (KeySourceException | AuthUnreadableException e) {
                LOG.debug("the last good keys stay in use: {}", fault);
            } catch (RuntimeException e) {
                LOG.warn("could not fetch keys; trying again later", e);
            } finally {
                synchronized (this) {
                    asking = null;
                }
                told.complete(latest);
            }
        });
        return told;
    }

    /** Puts fetched keys in force. If the keys have changed, the cache of verified tokens is empty again. */
    private void take(JWKSet now) throws AuthUnreadableException {
        if (!now.equals(known)) {
            latest = KeyRing.of(uri.toString(), now);
            known = now;
            LOG.info("keys fetched: {}", uri);
        }
    }

    private synchronized void ended(String wrong) {
        fetched = true;
        fetchedNanos = clock.nanoTime();
        if (!wrong.isEmpty() && !wrong.equals(fault)) {
            LOG.warn("keys unusable, the last good ones stay in use: {}", wrong);
        }
        fault = wrong;
    }

    /** Nimbus' source for a URL, with one more rule: a set without a usable key never replaces one that has some. */
    private final class Issuer extends URLBasedJWKSetSource<SecurityContext> {

        Issuer(URL url, Clock clock) {
            super(url, new BoundedRetriever(clock));
        }

        @Override
        public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator how, long nowMillis, @Nullable SecurityContext context)
                throws KeySourceException {
            String wrong = uri + ": unreadable (expected: a JSON Web Key Set)";
            try {
                JWKSet set = super.getJWKSet(how, nowMillis, context);
                KeyRing.of(uri.toString(), set);
                wrong = "";
                return set;
            } catch (JWKSetRetrievalException e) {
                wrong = uri + ": "
                        + (e.getCause() == null ? "no answer" : e.getCause().getMessage());
                throw e;
            } catch (AuthUnreadableException e) {
                wrong = String.valueOf(e.getMessage());
                throw new JWKSetUnavailableException(wrong, e);
            } catch (StackOverflowError e) {
                throw new JWKSetUnavailableException(wrong, e);
            } finally {
                ended(wrong);
            }
        }
    }
}
