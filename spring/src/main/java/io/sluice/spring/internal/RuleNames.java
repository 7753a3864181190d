package io.sluice.spring.internal;

/** Names rules for callers. Thread-safe. */
@FunctionalInterface
public interface RuleNames {

    /** Shows every rule under its id. */
    RuleNames IDS = id -> id;

    /** Returns the name under which callers see the rule. Logs and metrics use the id itself. */
    String shown(String id);
}
