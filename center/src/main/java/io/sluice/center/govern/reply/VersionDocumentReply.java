package io.sluice.center.govern.reply;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** A released version with its rules. */
public record VersionDocumentReply(VersionReply version, List<JsonNode> rules) {

    public VersionDocumentReply {
        rules = List.copyOf(rules);
    }
}
