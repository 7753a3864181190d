package io.sluice.spring.web.reactive;

import java.util.concurrent.Executor;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Chooses the thread on which a request continues after it has waited: on the event loop of its connection, or on Reactor's parallel
 * threads if the server is not Reactor Netty. If another thread completes a response while the caller's next request arrives, Reactor Netty
 * 1.3.6 stops reading from the connection.
 */
public final class ConnectionThread {

    private static final boolean NETTY = ClassUtils.isPresent(
            "reactor.netty.http.server.HttpServerRequest", ConnectionThread.class.getClassLoader());

    private ConnectionThread() {}

    /** Returns the thread of the request's connection. */
    public static Scheduler of(ServerHttpRequest request) {
        Executor loop = NETTY ? NettyRequest.loop(request) : null;
        return loop == null ? Schedulers.parallel() : Schedulers.fromExecutor(loop);
    }
}
