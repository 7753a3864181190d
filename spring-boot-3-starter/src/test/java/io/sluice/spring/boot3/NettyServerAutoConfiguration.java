package io.sluice.spring.boot3;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.web.reactive.ReactiveWebServerFactoryAutoConfiguration;
import org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;

/** Reactive applications run on Netty. With Tomcat on the class path, as in these tests, Spring Boot 3.5 would prefer Tomcat. */
@AutoConfiguration(before = ReactiveWebServerFactoryAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
public class NettyServerAutoConfiguration {

    @Bean
    NettyReactiveWebServerFactory netty() {
        return new NettyReactiveWebServerFactory();
    }
}
