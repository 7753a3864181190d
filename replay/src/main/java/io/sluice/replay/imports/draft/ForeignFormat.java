package io.sluice.replay.imports.draft;

/**
 * The format of a configuration that an importer reads.
 *
 * @param limiter the limiter that the configuration belongs to
 * @param limits the place of limits in such a configuration, for messages
 */
public record ForeignFormat(String limiter, String limits) {}
