package io.sluice.spring.boot.named;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.boot.founding.FoundingDefault;
import io.sluice.spring.named.NamedRules;
import io.sluice.spring.named.RuleUser;
import io.sluice.spring.named.RulesAtStart;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Finds the rules that annotations, routes and clients name, and checks at startup that they are in force. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(NamedRuleProperties.class)
public final class NamedRuleConfiguration {

    @Bean
    @ConditionalOnMissingBean
    static NamedRules sluiceNamedRules(Evaluator evaluator, Environment environment, NamedRuleProperties properties) {
        return new NamedRules(evaluator::rules, properties.missingRule(), FoundingDefault.in(environment));
    }

    @Bean
    static RulesAtStart sluiceRulesAtStart(NamedRules rules, ObjectProvider<RuleUser> users) {
        return new RulesAtStart(rules, () -> users.orderedStream().toList());
    }
}
