package io.sluice.spring.web.reactive;

import java.util.concurrent.Executor;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Where a request goes on after something was waited for: on its connection's own event loop, or on Reactor's parallel threads if the
 * server is not Reactor Netty. An answer that some other thread completes may meet the caller's next request on the way, and Reactor
 * Netty 1.3.6 then stops to read from the connection.
 */
public final class ConnectionThread {

    private static final boolean NETTY = ClassUtils.isPresent(
            "reactor.netty.http.server.HttpServerRequest", ConnectionThread.class.getClassLoader());

    private ConnectionThread() {}

    /** The thread of the connection that a request came on. */
    public static Scheduler of(ServerHttpRequest request) {
        Executor loop = NETTY ? NettyRequest.loop(request) : null;
        return loop == null ? Schedulers.parallel() : Schedulers.fromExecutor(loop);
    }
}
