package io.sluice.center.web.reply;

import tools.jackson.databind.JsonNode;

/**
 * A rule with the version that it is part of.
 *
 * @param text the rule as YAML, to edit it
 */
public record RuleReply(long version, String digest, JsonNode rule, String text) {}
