package io.sluice.spring.boot.starts;

import io.sluice.spring.RateLimitExceededException;
import java.util.function.UnaryOperator;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

/** A running application. It shares only types of the JDK with its caller, because the class loaders differ. */
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

    /** Tomcat would register itself for the whole JVM, which is possible only once; other tests start their own Tomcat. */
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
