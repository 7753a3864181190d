package io.sluice.center.command;

import tools.jackson.databind.JsonNode;

/**
 * A stored command.
 *
 * @param at milliseconds since the epoch
 * @param expected see {@link Command#expected}
 * @param body the other fields of the command
 */
public record CommandEntry(
        long number, long at, String actor, String kind, String reason, long expected, JsonNode body) {}
