package io.sluice.node.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** A destination of a center's audit log, in the section {@code center}. Immutable. */
public sealed interface CenterSink {

    /** A file. */
    record File(Path path, long maxBytes, int keep) implements CenterSink {}

    /** A server that speaks syslog. */
    record Syslog(URI address, Optional<Path> ca) implements CenterSink {}

    /**
     * A topic of Kafka.
     *
     * @param properties a file with further properties of the client
     */
    record Kafka(String servers, String topic, Optional<Path> properties) implements CenterSink {}
}
