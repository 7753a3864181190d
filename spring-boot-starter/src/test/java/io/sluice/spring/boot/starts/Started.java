package io.sluice.spring.boot.starts;

import io.sluice.spring.RateLimitExceededException;
import java.util.function.UnaryOperator;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

/** An application that runs. Nothing but types of the JDK is shared with who asks: the class loaders differ. */
public final class Started implements UnaryOperator<String>, AutoCloseable {

    private final ConfigurableApplicationContext context;

    public Started(String application, String[] arguments) throws ReflectiveOperationException {
        leaveUrlsAlone();
        SpringApplication spring = new SpringApplication(Class.forName(application));
        spring.setRegisterShutdownHook(false);
        context = spring.run(arguments);
    }

    /** Answers {@code beans}, {@code greet}, or the name of a property. */
    @Override
    public String apply(String question) {
        return switch (question) {
            case "beans" -> String.join("\n", context.getBeanDefinitionNames());
            case "greet" -> greet();
            default -> context.getEnvironment().getRequiredProperty(question);
        };
    }

    /** Tomcat would register itself for the whole JVM, which can be done once; other tests have a Tomcat of their own. */
    private static void leaveUrlsAlone() throws ReflectiveOperationException {
        String factory = "org.apache.catalina.webresources.TomcatURLStreamHandlerFactory";
        if (ClassUtils.isPresent(factory, null)) {
            Class.forName(factory).getMethod("disable").invoke(null);
        }
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
