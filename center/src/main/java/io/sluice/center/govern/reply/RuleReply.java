package io.sluice.center.govern.reply;

import tools.jackson.databind.JsonNode;

/**
 * A rule and the version that contains it.
 *
 * @param text the rule as YAML, for editing
 */
public record RuleReply(long version, String digest, JsonNode rule, String text) {}
