package io.sluice.node.gateway.upstream;

import io.sluice.core.spi.RootCause;
import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.ServiceSettings;
import io.sluice.node.gateway.config.ServiceSettings.Balance;
import io.sluice.node.gateway.route.UpstreamGroup;
import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The servers of one service, chosen in turn or by requests in flight. Thread-safe. A choice looks at each server at most twice
 * and creates one object.
 *
 * <p>Failed requests only steer between servers: if all servers are left out, all are used as if none were. Health checks decide: if no
 * server is healthy, none is chosen. A circuit breaker for each server would not fit: if some requests fail on every server, it would
 * leave the service without servers.
 */
public final class ServiceUpstreams implements UpstreamGroup {

    /** The number of lost races for a server's trial after which no server is tried out. */
    private static final int ATTEMPTS = 3;

    private final ServiceSettings settings;
    private final UpstreamServer[] servers;
    private final Optional<ClientSSLOptions> tls;
    private final Clock clock;
    private final AtomicInteger turn = new AtomicInteger();

    ServiceUpstreams(
            ServiceSettings settings, List<UpstreamServer> servers, Optional<ClientSSLOptions> tls, Clock clock) {
        this.settings = settings;
        this.servers = servers.toArray(UpstreamServer[]::new);
        this.tls = tls;
        this.clock = clock;
    }

    ServiceSettings settings() {
        return settings;
    }

    Optional<ClientSSLOptions> tls() {
        return tls;
    }

    List<UpstreamServer> servers() {
        return List.of(servers);
    }

    @Override
    public Optional<Turn> next(Set<URI> tried) {
        for (int i = 0; i < ATTEMPTS; i++) {
            UpstreamServer server = choose(tried, true);
            if (server == null) {
                break;
            }
            boolean out = server.isOut();
            if (!out || server.startTrial()) {
                return Optional.of(new OneTurn(server, out));
            }
        }
        UpstreamServer server = choose(tried, false);
        return server == null ? Optional.empty() : Optional.of(new OneTurn(server, false));
    }

    private @Nullable UpstreamServer choose(Set<URI> tried, boolean leaveOut) {
        long now = leaveOut ? clock.nanoTime() : 0;
        return settings.balance() == Balance.ROUND_ROBIN
                ? inTurn(tried, leaveOut, now)
                : leastUsed(tried, leaveOut, now);
    }

    /** Counts the candidates first, so that the neighbour of an omitted server is not chosen twice as often. */
    private @Nullable UpstreamServer inTurn(Set<URI> tried, boolean leaveOut, long now) {
        int count = 0;
        for (UpstreamServer server : servers) {
            if (mayBeNext(server, tried, leaveOut, now)) {
                count++;
            }
        }
        if (count == 0) {
            return null;
        }
        int skip = Integer.remainderUnsigned(turn.getAndIncrement(), count);
        UpstreamServer last = null;
        for (UpstreamServer server : servers) {
            if (mayBeNext(server, tried, leaveOut, now)) {
                last = server;
                if (skip-- == 0) {
                    return server;
                }
            }
        }
        return last;
    }

    private @Nullable UpstreamServer leastUsed(Set<URI> tried, boolean leaveOut, long now) {
        int start = Integer.remainderUnsigned(turn.getAndIncrement(), servers.length);
        UpstreamServer least = null;
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < servers.length; i++) {
            UpstreamServer server = servers[(start + i) % servers.length];
            int open = server.open();
            if (open < fewest && mayBeNext(server, tried, leaveOut, now)) {
                least = server;
                fewest = open;
            }
        }
        return least;
    }

    private static boolean mayBeNext(UpstreamServer server, Set<URI> tried, boolean leaveOut, long now) {
        return server.isFit()
                && (!leaveOut || !server.isOut() || server.isDue(now))
                && (tried.isEmpty() || !tried.contains(server.origin()));
    }

    /** Used by one thread at a time. Repeated calls have no effect. */
    private final class OneTurn implements Turn {

        private final UpstreamServer server;
        private boolean trial;
        private boolean judged;
        private boolean over;

        OneTurn(UpstreamServer server, boolean trial) {
            this.server = server;
            this.trial = trial;
            server.begin();
        }

        @Override
        public URI origin() {
            return server.origin();
        }

        @Override
        public boolean http2() {
            return settings.http2();
        }

        @Override
        public Optional<ClientSSLOptions> tls() {
            return tls;
        }

        @Override
        public void answered(int status) {
            if (status >= 502 && status <= 504) {
                judge("status " + status);
            } else {
                judge(null);
            }
        }

        @Override
        public void failed(Throwable why) {
            judge(RootCause.words(why));
        }

        @Override
        public void abandoned() {
            judged = true;
            endTrial();
        }

        @Override
        public void over() {
            if (!over) {
                over = true;
                endTrial();
                server.end();
            }
        }

        /** Reports before it ends the trial, so that the next trial sees the result of this one. */
        private void judge(@Nullable String failure) {
            if (!judged) {
                judged = true;
                if (failure == null) {
                    server.succeeded(trial);
                } else {
                    server.failed(trial, settings.passive(), clock.nanoTime(), failure);
                }
                endTrial();
            }
        }

        private void endTrial() {
            if (trial) {
                trial = false;
                server.endTrial();
            }
        }
    }
}
