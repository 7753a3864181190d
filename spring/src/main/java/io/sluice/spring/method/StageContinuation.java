package io.sluice.spring.method;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.task.TaskDecorator;

/**
 * The continuation of stages that have waited without a thread. Thread-safe.
 *
 * @param executor runs the continuations
 * @param decorators carry over context of the calling thread; they are applied on that thread
 */
public record StageContinuation(Executor executor, List<TaskDecorator> decorators) {

    /** The name of a bean that replaces the executor chosen here. */
    static final String EXECUTOR = "sluiceMethodExecutor";

    private static final String OF_THE_APPLICATION = "applicationTaskExecutor";

    public StageContinuation {
        decorators = List.copyOf(decorators);
    }

    /** Does not define an executor bean: if one existed, Spring Boot would not create the application's own. */
    public static StageContinuation of(BeanFactory beans, ObjectProvider<TaskDecorator> decorators) {
        return new StageContinuation(executor(beans), decorators.orderedStream().toList());
    }

    private static Executor executor(BeanFactory beans) {
        if (beans.containsBean(EXECUTOR)) {
            return beans.getBean(EXECUTOR, Executor.class);
        }
        return beans.containsBean(OF_THE_APPLICATION) && beans.isTypeMatch(OF_THE_APPLICATION, Executor.class)
                ? beans.getBean(OF_THE_APPLICATION, Executor.class)
                : ForkJoinPool.commonPool();
    }

    /** Decorates the task with the context of the current thread. */
    Runnable carrying(Runnable task) {
        Runnable carrying = task;
        for (TaskDecorator each : decorators) {
            carrying = each.decorate(carrying);
        }
        return carrying;
    }
}
