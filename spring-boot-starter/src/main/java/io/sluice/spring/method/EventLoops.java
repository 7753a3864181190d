package io.sluice.spring.method;

import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Where a subscription goes on after it has waited: on the event loop that subscribed, or on Reactor's parallel threads if none did. Only
 * touched where Reactor is there; Netty need not be. Stateless.
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
