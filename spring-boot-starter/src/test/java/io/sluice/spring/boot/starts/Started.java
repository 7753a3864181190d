package io.sluice.spring.boot.starts;

import io.sluice.spring.RateLimitExceededException;
import java.util.function.UnaryOperator;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** An application that runs. Nothing but types of the JDK is shared with who asks: the class loaders differ. */
public final class Started implements UnaryOperator<String>, AutoCloseable {

    private final ConfigurableApplicationContext context;

    public Started(String application, String[] arguments) throws ClassNotFoundException {
        SpringApplication spring = new SpringApplication(Class.forName(application));
        spring.setRegisterShutdownHook(false);
        context = spring.run(arguments);
    }

    /** Answers {@code beans}, {@code greet}, or the name of a property. */
    @Override
    public String apply(String question) {
        return switch (question) {
            case "beans" -> String.join(" ", context.getBeanDefinitionNames());
            case "greet" -> greet();
            default -> context.getEnvironment().getRequiredProperty(question);
        };
    }

    private String greet() {
        try {
            return context.getBean(PlainApp.Greeter.class).greet();
        } catch (RateLimitExceededException e) {
            return "refused, try again in " + e.retryAfter().orElseThrow();
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
