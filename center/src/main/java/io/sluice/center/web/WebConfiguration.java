package io.sluice.center.web;

import io.sluice.center.account.AccountRoutes;
import io.sluice.center.alert.AlertRoutes;
import io.sluice.center.auditlog.AuditLogRoutes;
import io.sluice.center.callers.CallerRoutes;
import io.sluice.center.command.AnsweredRequests;
import io.sluice.center.decisions.DecisionRoutes;
import io.sluice.center.durable.DurableRoutes;
import io.sluice.center.edge.ProxyValve;
import io.sluice.center.erase.ErasureRoutes;
import io.sluice.center.explain.ExplainRoutes;
import io.sluice.center.export.ExportRoutes;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.govern.AdjustmentRoutes;
import io.sluice.center.govern.ApprovalRoutes;
import io.sluice.center.govern.ChangeCheck;
import io.sluice.center.govern.ChangeDryRun;
import io.sluice.center.govern.ChangeRoutes;
import io.sluice.center.govern.RolloutRoutes;
import io.sluice.center.govern.RuleGuard;
import io.sluice.center.govern.RuleRoutes;
import io.sluice.center.identity.IdentityConfiguration;
import io.sluice.center.nodes.NodeRoutes;
import io.sluice.center.nodes.RuleFeedServlet;
import io.sluice.center.page.PageRoutes;
import io.sluice.center.passkey.PasskeyConfiguration;
import io.sluice.center.retention.RetentionRoutes;
import io.sluice.center.series.SeriesRoutes;
import io.sluice.center.signin.SecurityConfiguration;
import io.sluice.center.signin.SignInParts;
import io.sluice.center.sink.SinkRoutes;
import io.sluice.center.stream.Stream;
import io.sluice.center.stream.StreamServlet;
import io.sluice.center.token.TokenRoutes;
import io.sluice.center.version.ForeignRules;
import java.util.List;
import java.util.Optional;
import org.apache.catalina.LifecycleListener;
import org.apache.catalina.core.StandardHost;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The web application. Only the parts that it needs are configured, so that it starts quickly. */
@Configuration(proxyBeanMethods = false)
// In the order in which Spring Boot would sort them: each asks whether those before it have made a bean.
@Import({
    SslAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    Problems.class,
    RuleGuard.class,
    RuleRoutes.class,
    ChangeCheck.class,
    ChangeDryRun.class,
    ChangeRoutes.class,
    RolloutRoutes.class,
    AdjustmentRoutes.class,
    ApprovalRoutes.class,
    NodeRoutes.class,
    CallerRoutes.class,
    ExplainRoutes.class,
    ErasureRoutes.class,
    DurableRoutes.class,
    TokenRoutes.class,
    StatusRoutes.class,
    AuditLogRoutes.class,
    ExportRoutes.class,
    SinkRoutes.class,
    AlertRoutes.class,
    RetentionRoutes.class,
    DecisionRoutes.class,
    SeriesRoutes.class,
    SecurityConfiguration.class,
    AccountRoutes.class,
    PasskeyConfiguration.class,
    PageRoutes.class,
    IdentityConfiguration.class,
    OpenApiRoute.class
})
final class WebConfiguration {

    @Bean
    FilterRegistrationBean<PathFilter> paths() {
        FilterRegistrationBean<PathFilter> filter = new FilterRegistrationBean<>(new PathFilter());
        filter.setOrder(0);
        filter.setAsyncSupported(true);
        return filter;
    }

    /** Comes after the security filter, so that a request without a token does not reveal the origin of the rules. */
    @Bean
    FilterRegistrationBean<ReadOnlyFilter> readOnly(Optional<ForeignRules> shown) {
        FilterRegistrationBean<ReadOnlyFilter> filter = new FilterRegistrationBean<>(new ReadOnlyFilter(shown));
        filter.addUrlPatterns("/api/*");
        filter.setAsyncSupported(true);
        filter.setOrder(2);
        return filter;
    }

    /** Comes after all filters that refuse. */
    @Bean
    FilterRegistrationBean<RepetitionFilter> repetitions(AnsweredRequests answered) {
        FilterRegistrationBean<RepetitionFilter> filter = new FilterRegistrationBean<>(new RepetitionFilter(answered));
        filter.addUrlPatterns("/api/*");
        filter.setAsyncSupported(true);
        filter.setOrder(3);
        return filter;
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problems() {
        return factory -> factory.addContextCustomizers(
                context -> ((StandardHost) context.getParent()).setErrorReportValveClass(ProblemValve.class.getName()));
    }

    /** Prevents a search for pages in all jars. {@code PageRoutes} has the pages. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> pages() {
        return factory -> factory.addContextCustomizers(context -> {
            for (LifecycleListener listener : context.findLifecycleListeners()) {
                if (listener.getClass().getName().endsWith("$StaticResourceConfigurer")) {
                    context.removeLifecycleListener(listener);
                }
            }
        });
    }

    /** Comes before all filters. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> proxies(SignInParts parts) {
        List<String> networks = parts.settings().trustedProxies();
        return factory -> {
            if (!networks.isEmpty()) {
                factory.addEngineValves(new ProxyValve(networks));
            }
        };
    }

    @Bean
    ServletRegistrationBean<RuleFeedServlet> ruleFeed(RuleFeed feed) {
        ServletRegistrationBean<RuleFeedServlet> servlet =
                new ServletRegistrationBean<>(new RuleFeedServlet(feed), "/api/nodes/rules");
        servlet.setAsyncSupported(true);
        return servlet;
    }

    @Bean
    ServletRegistrationBean<StreamServlet> stream(Stream stream) {
        ServletRegistrationBean<StreamServlet> servlet =
                new ServletRegistrationBean<>(new StreamServlet(stream), "/api/stream");
        servlet.setAsyncSupported(true);
        return servlet;
    }
}
