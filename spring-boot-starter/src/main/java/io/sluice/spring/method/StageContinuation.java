package io.sluice.spring.method;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.task.TaskDecorator;

/**
 * How stages go on after they have waited without a thread. Safe for use by many threads.
 *
 * @param executor runs them
 * @param decorators carry over what the calling thread has; asked on that thread
 */
record StageContinuation(Executor executor, List<TaskDecorator> decorators) {

    /** The bean that replaces what is chosen here. */
    static final String EXECUTOR = "sluiceMethodExecutor";

    private static final String OF_THE_APPLICATION = "applicationTaskExecutor";

    StageContinuation {
        decorators = List.copyOf(decorators);
    }

    /** Defines no executor of its own: with one, Spring Boot would not make that of the application. */
    static StageContinuation of(BeanFactory beans, ObjectProvider<TaskDecorator> decorators) {
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

    /** The task, with what this thread has. */
    Runnable carrying(Runnable task) {
        Runnable carrying = task;
        for (TaskDecorator each : decorators) {
            carrying = each.decorate(carrying);
        }
        return carrying;
    }
}
