package io.sluice.center.web;

import io.sluice.center.edge.ServerCertificate;
import io.sluice.center.identity.ServerConfirmations;
import io.sluice.center.signin.SignInParts;
import io.sluice.core.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.web.context.WebApplicationContext;

/** The HTTP server of a center. */
public final class WebServer implements AutoCloseable {

    private final ServletWebServerApplicationContext context;

    private WebServer(ServletWebServerApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts the server.
     *
     * @param port the port; 0 for a free port
     */
    public static WebServer start(
            CenterParts center, SignInParts signIn, ServerConfirmations servers, String bind, int port) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("server.address", bind);
        properties.put("server.port", port);
        properties.put("server.shutdown", "graceful");
        properties.put("spring.lifecycle.timeout-per-shutdown-phase", "3s");
        properties.put("server.tomcat.threads.max", 32);
        properties.put("server.tomcat.threads.min-spare", 2);
        properties.put("server.tomcat.max-connections", 10_000);
        properties.put("spring.jackson.property-naming-strategy", "SNAKE_CASE");
        properties.put("spring.mvc.log-resolved-exception", false);
        // This filter would read forms of any length before any other check of the request.
        properties.put("spring.mvc.formcontent.filter.enabled", false);
        properties.put("server.tomcat.connection-timeout", "10s");
        properties.put("server.tomcat.keep-alive-timeout", "60s");
        properties.put("spring.jmx.enabled", false);
        properties.put("spring.web.resources.add-mappings", false);
        signIn.settings().tls().ifPresent(files -> properties.putAll(ServerCertificate.properties(files)));
        return new WebServer(started(properties, beans -> {
            // A singleton that is registered like this is not closed with the web application.
            center.beans().forEach(part -> singleton(beans, part.getClass(), part));
            singleton(beans, Clock.class, center.clock());
            singleton(beans, SignInParts.class, signIn);
            singleton(beans, ServerConfirmations.class, servers);
        }));
    }

    private static void singleton(GenericApplicationContext beans, Class<?> type, Object part) {
        beans.getBeanFactory().registerSingleton(type.getName(), part);
    }

    /**
     * Starts the application without {@code SpringApplication}. That would read more settings, from files in the current directory and from
     * the environment: SERVER_PORT would replace the port.
     */
    private static ServletWebServerApplicationContext started(
            Map<String, Object> properties, Consumer<GenericApplicationContext> parts) {
        AnnotationConfigServletWebServerApplicationContext context =
                new AnnotationConfigServletWebServerApplicationContext(new Beans());
        MutablePropertySources sources = context.getEnvironment().getPropertySources();
        sources.stream().map(PropertySource::getName).toList().forEach(sources::remove);
        sources.addFirst(new MapPropertySource("center", properties));
        parts.accept(context);
        context.register(WebConfiguration.class);
        // No bean has listeners by annotation, and the search for them would read every method of every bean.
        context.removeBeanDefinition(AnnotationConfigUtils.EVENT_LISTENER_PROCESSOR_BEAN_NAME);
        // The configuration has all definitions. A frozen factory remembers the beans of each type.
        context.addBeanFactoryPostProcessor(ConfigurableListableBeanFactory::freezeConfiguration);
        try {
            context.refresh();
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
        return context;
    }

    /** A factory that finds quickly that no bean has a type with arguments. Spring Security asks for thirty such types of customizers. */
    private static final class Beans extends DefaultListableBeanFactory {

        private static final long serialVersionUID = 1;

        @Override
        public String[] getBeanNamesForType(ResolvableType type, boolean includeNonSingletons, boolean allowEagerInit) {
            Class<?> raw = type.resolve();
            // A frozen factory remembers the beans of a class, but looks at all beans for a type with arguments.
            if (raw != null
                    && type.hasGenerics()
                    && isConfigurationFrozen()
                    && getBeanNamesForType(raw, includeNonSingletons, allowEagerInit).length == 0) {
                return new String[0];
            }
            return super.getBeanNamesForType(type, includeNonSingletons, allowEagerInit);
        }
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return Objects.requireNonNull(context.getWebServer()).getPort();
    }

    /** Returns the web application. */
    public WebApplicationContext application() {
        return context;
    }

    @Override
    public void close() {
        context.close();
    }
}
