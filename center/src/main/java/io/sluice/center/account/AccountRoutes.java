package io.sluice.center.account;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The routes for people and their accounts. */
@Configuration(proxyBeanMethods = false)
@Import({SessionRoutes.class, MeRoutes.class, UserRoutes.class})
public final class AccountRoutes {}
