package io.sluice.spring.boot.named;

import io.sluice.spring.named.MissingRule;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Rules that the application names.
 *
 * @param missingRule Reaction to an annotation, a route or a client that names a rule that is not in force: 'fail' stops the
 *     startup and fails calls, 'warn' logs a warning and lets calls pass, 'allow' lets calls pass.
 */
@ConfigurationProperties("sluice")
public record NamedRuleProperties(@DefaultValue("fail") MissingRule missingRule) {}
