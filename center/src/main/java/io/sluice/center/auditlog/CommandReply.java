package io.sluice.center.auditlog;

import io.sluice.center.command.CommandEntry;
import java.time.Instant;
import tools.jackson.databind.JsonNode;

/** A command that was carried out. */
public record CommandReply(
        long number, Instant at, String actor, String kind, String reason, long expected, JsonNode body) {

    public static CommandReply of(CommandEntry entry) {
        return new CommandReply(
                entry.number(),
                Instant.ofEpochMilli(entry.at()),
                entry.actor(),
                entry.kind(),
                entry.reason(),
                entry.expected(),
                entry.body());
    }
}
