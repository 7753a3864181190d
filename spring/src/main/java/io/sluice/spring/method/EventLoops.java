package io.sluice.spring.method;

import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Chooses the thread on which a subscription continues after it has waited: the event loop that subscribed, otherwise Reactor's
 * parallel threads. Loaded only if Reactor is on the class path; Netty is optional. Stateless.
 */
final class EventLoops {

    private static final boolean NETTY =
            ClassUtils.isPresent("io.netty.util.internal.ThreadExecutorMap", Mono.class.getClassLoader());

    private EventLoops() {}

    static Executor here() {
        Executor loop = NETTY ? Netty.current() : null;
        return loop == null ? task -> Schedulers.parallel().schedule(task) : loop;
    }

    private static final class Netty {

        private Netty() {}

        static @Nullable Executor current() {
            return ThreadExecutorMap.currentExecutor();
        }
    }
}
