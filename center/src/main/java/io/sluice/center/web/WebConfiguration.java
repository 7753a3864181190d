package io.sluice.center.web;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
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

/** The web application. Only what it needs is configured, so that it starts quickly. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    JacksonAutoConfiguration.class
})
@Import({
    Problems.class,
    RuleRoutes.class,
    ChangeRoutes.class,
    RolloutRoutes.class,
    AdjustmentRoutes.class,
    NodeRoutes.class,
    StatusRoutes.class,
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

    @Bean
    FilterRegistrationBean<AccessFilter> access(CenterParts center) {
        FilterRegistrationBean<AccessFilter> filter =
                new FilterRegistrationBean<>(new AccessFilter(center.adminToken()));
        filter.addUrlPatterns("/api/*");
        filter.setAsyncSupported(true);
        filter.setOrder(1);
        return filter;
    }

    /** Comes after the access filter, so that nobody without a token learns where the rules come from. */
    @Bean
    FilterRegistrationBean<ReadOnlyFilter> readOnly(CenterParts center) {
        FilterRegistrationBean<ReadOnlyFilter> filter =
                new FilterRegistrationBean<>(new ReadOnlyFilter(center.shown()));
        filter.addUrlPatterns("/api/*");
        filter.setAsyncSupported(true);
        filter.setOrder(2);
        return filter;
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problems() {
        return factory -> factory.addContextCustomizers(
                context -> ((StandardHost) context.getParent()).setErrorReportValveClass(ProblemValve.class.getName()));
    }

    @Bean
    ServletRegistrationBean<RuleFeedServlet> ruleFeed(CenterParts center) {
        ServletRegistrationBean<RuleFeedServlet> servlet =
                new ServletRegistrationBean<>(new RuleFeedServlet(center.feed()), "/api/nodes/rules");
        servlet.setAsyncSupported(true);
        return servlet;
    }
}
