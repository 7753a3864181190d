package io.sluice.replay.imports.draft;

/**
 * The format of a configuration that an importer reads.
 *
 * @param limiter the limiter that the configuration belongs to
 * @param limits where such a configuration has limits, for messages
 */
public record ForeignFormat(String limiter, String limits) {}
